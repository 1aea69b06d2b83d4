#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

namespace s3tug::host {

/// Owners of libcurl's objects. Order of destruction: easy handles, then multi, then share.
struct CurlDelete {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct CurlMultiDelete {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct CurlShareDelete {
    void operator()(CURLSH* handle) const { curl_share_cleanup(handle); }
};

using EasyHandle = std::unique_ptr<CURL, CurlDelete>;
using StringList = std::unique_ptr<curl_slist, CurlDelete>;
using MultiHandle = std::unique_ptr<CURLM, CurlMultiDelete>;
using ShareHandle = std::unique_ptr<CURLSH, CurlShareDelete>;

/// Header lines in the form that libcurl reads: one block of text and the nodes into it, both reused, so that a request
/// allocates nothing once the block is large enough. What was handed out is valid until the next clear().
class HeaderList {
  public:
    void clear() {
        text_.clear();
        ends_.clear();
    }

    /// libcurl's two special forms are made here: `name;` sends an empty value, `name:` stops a header that libcurl
    /// would add by itself.
    void add(std::string_view name, std::string_view value) {
        text_.append(name);
        if (value.empty()) {
            text_.push_back(';');
        } else {
            text_.append(": ").append(value);
        }
        end_line();
    }
    void suppress(std::string_view name) {
        text_.append(name).push_back(':');
        end_line();
    }

    [[nodiscard]] curl_slist* list() {
        nodes_.resize(ends_.size());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i] = {.data = text_.data() + begin, .next = i + 1 < nodes_.size() ? &nodes_[i + 1] : nullptr};
            begin = ends_[i];
        }
        return nodes_.empty() ? nullptr : nodes_.data();
    }

  private:
    void end_line() {
        text_.push_back('\0');
        ends_.push_back(text_.size());
    }

    std::string text_;
    std::vector<std::size_t> ends_;
    std::vector<curl_slist> nodes_;
};

}  // namespace s3tug::host
