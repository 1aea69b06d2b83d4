#include "lab/exchange.h"

#include <fmt/format.h>

#include <algorithm>

namespace s3tug::lab {

namespace {

constexpr uint64_t read_away_limit = uint64_t{64} << 20U;

/// What may be shown of a request: no signature and no token.
Fields loggable(const Fields& headers) {
    Fields out;
    for (const Field& field : headers) {
        const bool token = equal_nocase(field.name, "x-amz-security-token");
        const bool authorization = equal_nocase(field.name, "authorization");
        std::string value = token ? "(hidden)" : field.value;
        if (authorization) value = value.substr(0, value.find("Signature="));
        out.push_back({field.name, std::move(value)});
    }
    return out;
}

bool asks_for_checksums(const Head& head) {
    return std::ranges::any_of(head.headers, [](const Field& field) {
        const std::string name = to_lower(field.name);
        return (name.starts_with("x-amz-checksum-") && name != "x-amz-checksum-mode") || name == "x-amz-trailer" ||
               name == "x-amz-sdk-checksum-algorithm";
    });
}

Occasion occasion_of(const Call& call, uint64_t ordinal) {
    return {call.op, call.head.method, call.bucket, call.key, call.part_number(), ordinal > 1};
}

constexpr std::string_view html_page =
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "</body>\r\n</html>\r\n";

}  // namespace

Exchange::Exchange(Core& core, Wire& wire, Head head, uint64_t connection, uint64_t ordinal)
    : core_(core),
      wire_(wire),
      call_(std::make_shared<Call>(understand(std::move(head), core.config.domains))),
      request_id_(core.new_request_id()),
      obstacles_(wire, call_->faults, core.config.hang_limit, [this](std::string how) { note_ending(how); }) {
    const auto framing = framing_of(call_->head);
    if (const auto* wrong = std::get_if<std::string>(&framing))
        refused_ = s3_error("InvalidRequest", *wrong);
    else
        framing_ = std::get<Framing>(framing);
    Seen seen;
    seen.connection = connection;
    seen.ordinal = ordinal;
    seen.at_ms = core.steady_now().count();
    seen.op = call_->op;
    seen.method = call_->head.method;
    seen.target = call_->head.target;
    seen.bucket = call_->bucket;
    seen.key = call_->key;
    seen.headers = loggable(call_->head.headers);
    seen.body_size = framing_.length;
    seen.request_id = request_id_;
    number_ = core.journal.begin(std::move(seen));
    call_->faults = core.forecast.next(occasion_of(*call_, ordinal), core.steady_now());
    call_->now_ms = core.now_ms() + call_->faults.skew.value_or(0) * 1000;
    expects_continue_ = call_->head.header_has("expect", "100-continue");
    body_unread_ = framing_.chunked || framing_.length > 0;
}

Exchange::~Exchange() {
    core_.journal.update(number_, [&](Seen& seen) {
        if (seen.ending.empty()) seen.ending = "client left";
        core_.write_log(seen);
    });
    core_.journal.end();
}

void Exchange::note_ending(const std::string& ending) {
    core_.journal.update(number_, [&](Seen& seen) { seen.ending = ending; });
}

bool Exchange::run() {
    if (!obstacles_.pass(Stage::before_read)) return false;
    if (!refused_) refused_ = refusal_by_head();
    if (!obstacles_.pass(Stage::after_headers)) return false;
    const auto& told = call_->faults.synthetic;
    if (refused_ && (expects_continue_ || framing_.length > read_away_limit))
        return answer_early(outgoing(refuse(*refused_)));
    // A client that asks whether it may send is refused before it does, unless the script says otherwise.
    const bool natural_early = told && !told->stage && expects_continue_ && told->status >= 400;
    if (!refused_ && told && !told->apply_first && (natural_early || told->stage == Stage::after_headers))
        return answer_early(outgoing(*told));
    if (!receive()) return false;
    if (!obstacles_.pass(Stage::after_body)) return false;
    if (refused_) return send(outgoing(refuse(*refused_)));
    if (call_->faults.late) return commit_late();
    if (told && !told->apply_first) return send(outgoing(*told));
    const Answer answer = carry_out();
    if (!obstacles_.pass(Stage::before_answer)) return false;
    return send(told ? outgoing(*told) : outgoing(answer));
}

std::optional<S3Error> Exchange::refusal_by_head() {
    const Faults& faults = call_->faults;
    AuthRules rules;
    rules.credentials = core_.credentials();
    rules.region = faults.region.empty() ? core_.config.region : faults.region;
    rules.check_signature = core_.config.check_signature;
    rules.allow_anonymous = core_.service.quirks.anonymous;
    rules.now = call_->now_ms / 1000;
    auto who = authenticate(call_->head, rules);
    if (auto* error = std::get_if<S3Error>(&who)) return std::move(*error);
    call_->who = std::move(std::get<Identity>(who));
    if (core_.is_expired(call_->who, faults.expire)) return s3_error("ExpiredToken");
    if (call_->op == "Unknown") return s3_error("NotImplemented");
    const int no_checksum = faults.no_checksum.value_or(core_.service.quirks.refuse_checksums ? 501 : 0);
    if (no_checksum != 0 && asks_for_checksums(call_->head)) {
        S3Error error = s3_error(no_checksum == 501 ? "NotImplemented" : "InvalidArgument",
                                 "Checksum headers and trailers are not supported.");
        error.status = no_checksum;
        return error;
    }
    const bool needs_length = call_->head.method == "PUT" || call_->head.method == "POST";
    if (needs_length && !framing_.has_length && !framing_.chunked) return s3_error("MissingContentLength");
    if (call_->op == "DeleteObjects" && call_->head.header("content-md5") == nullptr &&
        !asks_for_checksums(call_->head))
        return s3_error("InvalidRequest", "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
    constexpr uint64_t largest = uint64_t{5} << 30U;
    if (framing_.length > largest + (uint64_t{64} << 20U)) return s3_error("EntityTooLarge");
    return std::nullopt;
}

bool Exchange::receive() {
    if (expects_continue_ && body_unread_ && !core_.service.quirks.no_continue &&
        !wire_.write("HTTP/1.1 100 Continue\r\n\r\n"))
        return false;
    uint64_t received = 0;
    BodyReader body(wire_, framing_);
    const auto gate = [&](uint64_t so_far) { return obstacles_.gate(Stage::mid_body, so_far, framing_.length); };
    auto result = receive_body(body, *call_, {core_.service.quirks, gate}, received);
    body_unread_ = false;
    core_.journal.update(number_, [&](Seen& seen) { seen.body_received = received; });
    if (std::holds_alternative<BodyLost>(result)) return false;
    // An empty body has a middle too.
    if (received == 0 && !gate(0)) return false;
    if (auto* error = std::get_if<S3Error>(&result)) {
        if (!refused_) refused_ = std::move(*error);
    } else {
        call_->body = std::move(std::get<Received>(result));
        call_->body.bytes = received;
    }
    return true;
}

Answer Exchange::carry_out() {
    Answer answer = core_.service.perform(*call_);
    if (call_->faults.duplicate) answer = core_.service.perform(*call_);
    if (!answer.error) core_.journal.update(number_, [](Seen& seen) { seen.applied = true; });
    return answer;
}

bool Exchange::commit_late() {
    const auto effect = [&core = core_, call = call_, number = number_] {
        call->now_ms = core.now_ms() + call->faults.skew.value_or(0) * 1000;
        if (!core.service.perform(*call).error) core.journal.update(number, [](Seen& seen) { seen.applied = true; });
    };
    core_.late.add(*call_->faults.late, effect);
    note_ending("reset, effect late");
    wire_.reset();
    return false;
}

Outgoing Exchange::outgoing(const Answer& answer) const {
    Outgoing out;
    out.status = answer.status;
    out.headers = answer.headers;
    out.text = answer.text;
    out.content = answer.content;
    if (answer.error) {
        const std::string_view path = std::string_view(call_->head.target).substr(0, call_->head.target.find('?'));
        S3Error error = *answer.error;
        if (core_.service.quirks.empty_messages) error.message.clear();
        out.text = error_document(error, path, request_id_);
        out.headers.push_back({"Content-Type", "application/xml"});
    }
    out.keep_alive = call_->head.keep_alive();
    return out;
}

Outgoing Exchange::outgoing(const Synthetic& told) const {
    Answer answer;
    answer.status = told.status;
    if (told.form == Synthetic::Form::xml) {
        answer.error = s3_error(told.code);
        answer.error->status = told.status;
        if (!told.message.empty()) answer.error->message = told.message;
        if (!told.host.empty()) answer.error->elements.push_back({"Endpoint", told.host});
        if (!told.region.empty()) answer.error->elements.push_back({"Region", told.region});
    }
    Outgoing out = outgoing(answer);
    if (told.form == Synthetic::Form::html) {
        out.text = html_page;
        out.headers.push_back({"Content-Type", "text/html"});
    }
    if (told.form == Synthetic::Form::garbage) out.garbage = garbage_bytes;
    if (!told.region.empty()) out.headers.push_back({"x-amz-bucket-region", told.region});
    if (!told.host.empty())
        out.headers.push_back({"Location", fmt::format("http://{}{}", told.host, call_->head.target)});
    if (told.retry_after) out.headers.push_back({"Retry-After", std::to_string(*told.retry_after)});
    if (told.retry_after_date)
        out.headers.push_back({"Retry-After", http_date(call_->now_ms / 1000 + *told.retry_after_date)});
    if (told.amz_retry_after) out.headers.push_back({"x-amz-retry-after", std::to_string(*told.amz_retry_after)});
    return out;
}

bool Exchange::answer_early(Outgoing answer) {
    if (body_unread_) answer.keep_alive = false;
    return send(std::move(answer));
}

bool Exchange::send(Outgoing answer) {
    answer.bodiless = call_->head.method == "HEAD";
    answer.headers.push_back({"Date", http_date(call_->now_ms / 1000)});
    answer.headers.push_back({"Server", "s3tug-lab"});
    if (!core_.service.quirks.no_request_id) {
        answer.headers.push_back({"x-amz-request-id", request_id_});
        answer.headers.push_back({"x-amz-id-2", "s3tug-lab"});
    }
    std::string code;
    const size_t at = answer.text.find("<Code>");
    if (at != std::string::npos) code = answer.text.substr(at + 6, answer.text.find("</Code>") - at - 6);
    // Before the last byte leaves, so that a test which has the answer finds it in the log.
    core_.journal.update(number_, [&](Seen& seen) {
        seen.status = answer.garbage.empty() ? answer.status : 0;
        seen.code = code;
        seen.ending = answer.garbage.empty() ? "answered" : "garbage";
    });
    uint64_t body_sent = 0;
    const Sent sent = send_answer(wire_, answer, call_->faults, obstacles_, body_sent);
    core_.journal.update(number_, [&](Seen& seen) {
        seen.body_sent = body_sent;
        if (seen.ending != "answered") return;
        if (sent == Sent::over) seen.ending = "client left";
        if (sent == Sent::ending && call_->faults.cut) seen.ending = "cut";
    });
    if (sent == Sent::ending) wire_.close();
    return sent == Sent::keep;
}

}  // namespace s3tug::lab
