#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/composite_proof.h"
#include "engine/download.h"
#include "engine/flight_limit.h"
#include "engine/flow.h"
#include "engine/hedge.h"
#include "engine/kept_download.h"
#include "engine/range_sink.h"
#include "engine/ranged_download.h"
#include "engine/stream_window.h"

namespace s3tug::engine {

/// One object by GetObject, verified, then put in place.
///
/// The first request is a plain GET: its answer has the checksum of the whole object, and neither small nor empty
/// objects need more. When it shows a large object and the target takes bytes by offset, the rest comes in parts by
/// ranges, side by side, while the first answer goes on with the parts that nobody else took. A stream gets them too,
/// through a window (StreamWindow), when the store says that it has ranges: what has left cannot be begun again. All
/// else comes in order and is continued where it was cut. A download that an earlier run left unfinished begins with
/// its ranges. If the store has only a checksum of parts, a file that is there is held against it last, and a stream as
/// it passes: its bytes wait in the window until it is known where the parts end (CompositeProof).
class GetFlow final : public Flow {
  public:
    GetFlow(Services& services, const Transfer& transfer);

    Result<std::string> prepare() override;
    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;
    void more(Desk& desk) override;
    [[nodiscard]] Turn turn() const override;
    void stop(Desk& desk, Outcome outcome) override { fail(desk, std::move(outcome)); }

    [[nodiscard]] std::optional<uint64_t> size() const override {
        if (ranged_) return ranged_->pin().size;
        return single_ ? single_->facts().size : std::nullopt;
    }

  private:
    /// Takes the answers of the first request, and decides by the first head.
    class Entry final : public port::BodySink {
      public:
        explicit Entry(GetFlow& flow) : flow_(flow) {}
        bool begin(const wire::HttpAnswer& head) override;
        Status write(ByteSpan bytes) override;

      private:
        GetFlow& flow_;
    };
    static constexpr unsigned entry_tag = 0;
    static constexpr unsigned hedge_tag = ~0U;
    static constexpr unsigned below_tag = ~0U - 1;

    [[nodiscard]] Download::Wish wish() const;
    void send_first(Desk& desk);
    void send_range(Desk& desk, std::size_t part);
    [[nodiscard]] OperationSpec range_spec(RangeSink& sink) const;
    [[nodiscard]] RangeSink::Writer writer() const;  ///< where ranges go
    [[nodiscard]] wire::Request build_first() const;
    [[nodiscard]] wire::Request build_range(const RangeSink& sink) const;
    void review_single(policy::Verdict& verdict);
    [[nodiscard]] bool to_split(const wire::ObjectFacts& facts, const wire::HttpAnswer& head) const;
    void split(const wire::ObjectFacts& facts);
    [[nodiscard]] bool admit(std::size_t part);
    [[nodiscard]] std::optional<std::size_t> claim();
    [[nodiscard]] std::size_t claim_behind(std::size_t part);
    void part_done();
    [[nodiscard]] bool left_for_good() const { return window_ && window_->passed() > 0; }
    void single_ended(Desk& desk, OperationResult result);
    void on_below(Desk& desk, const OperationResult& listed);
    void hedge(Desk& desk);
    void on_hedge(Desk& desk, const OperationResult& result);
    void drop_hedge(Desk& desk);
    void settle(Desk& desk);
    [[nodiscard]] const Proof& proof() const { return ranged_ ? ranged_->record().proof : single_->proof(); }
    [[nodiscard]] const std::string& etag() const { return ranged_ ? ranged_->pin().etag : single_->facts().etag; }
    [[nodiscard]] bool waits_for_sizes(const wire::ObjectFacts& facts) const;
    void begin_passing();
    void has_left(ByteSpan bytes);
    void all_there(Desk& desk);
    void compare_parts(Desk& desk);
    void ask_parts(Desk& desk);
    void ask_part(Desk& desk, unsigned number);
    void part_told(Desk& desk);
    void drop_looks(Desk& desk);
    void on_part_told(Desk& desk, unsigned number, const OperationResult& result);
    void end(Desk& desk);
    [[nodiscard]] std::string why_not_compared() const;
    void start_over(Desk& desk, bool counts, const std::string& why);
    void doubt(const std::string& why);
    void tell(std::string what);  ///< to whoever reads the trace
    void fail(Desk& desk, Outcome outcome);
    void place(Desk& desk, Outcome outcome, std::optional<WallTime> last_modified);

    Services& services_;
    const Transfer& transfer_;
    std::unique_ptr<port::TargetFile> target_;
    std::optional<KeptDownload> kept_;
    std::unique_ptr<StreamWindow> window_;  ///< before target_, when that is a stream and ranged_ is there
    std::optional<Download> single_;
    std::optional<RangedDownload> ranged_;
    Entry entry_{*this};
    std::map<unsigned, std::unique_ptr<RangeSink>> workers_;  ///< by tag
    unsigned last_tag_ = entry_tag;
    std::optional<Outcome> missing_;  ///< there is no such object; it is looked whether there is anything below
    /// The second request for a slow part: it counts its bytes apart, from where the first was.
    struct Second {
        unsigned first_tag;
        std::unique_ptr<PartTable> parts;
        std::unique_ptr<RangeSink> sink;
    };
    FlightLimit flight_;     ///< of a near store: the more connections, the more CPU, and few of them fill the way
    Instant asked_{};        ///< for the object, the first time
    uint64_t measured_ = 0;  ///< bytes that flight_ knows of
    Hedge hedge_;
    std::optional<Second> second_;
    std::optional<CompositeProof> composite_;
    bool comparing_ = false;              ///< all bytes are there, and composite_ goes on in more()
    std::map<unsigned, unsigned> looks_;  ///< by tag: parts whose size is asked for
    unsigned restarts_ = 0;
    bool resumed_ = false;        ///< what is fetched now was begun by an earlier run
    bool in_order_only_ = false;  ///< the store ignores ranges
    bool skip_ = false;
};

}  // namespace s3tug::engine
