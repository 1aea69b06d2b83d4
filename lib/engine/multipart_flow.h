#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/flight_limit.h"
#include "engine/flow.h"
#include "engine/hedge.h"
#include "engine/part_supply.h"
#include "engine/upload_journal.h"
#include "engine/whole_checksum.h"
#include "wire/answers.h"
#include "wire/list_answers.h"
#include "wire/object_requests.h"

namespace s3tug::engine {

/// What an object of parts is to be, whoever brings its bytes.
struct MultipartJob {
    wire::S3Uri target;
    std::string source_path;  ///< of the file that it is made of; empty: of no file
    wire::ObjectProperties properties;
    wire::WriteConditions conditions;
    std::optional<ChecksumAlgorithm> checksum;
    bool checksum_by_user = false;
    bool own_token = true;                             ///< the write token goes with Create
    bool no_clobber = false;                           ///< look first, leave what stands there
    bool copies = false;                               ///< parts are copied by the store
    bool keyed = false;                                ///< the write token is that of an idempotency key
    bool source_goes = false;                          ///< a move: what an earlier run completed is not proof enough
    std::optional<wire::HeadObjectInput> copied_from;  ///< looked at again before Complete: stores ignore the pin
    std::string copied_etag;                           ///< what it had when the copy began
    std::optional<Checksum> whole;                     ///< of the source, where it has one of `checksum`'s kind
    std::optional<UploadRecord> record;                ///< who we are for another process; empty: not resumable
};

/// Create, parts side by side, Complete; and what becomes of it when something fails (design section 4, Resume;
/// facts/idempotency.md section 4). An upload is never left behind unseen: it is completed, aborted until ListParts
/// says that it is gone, kept for the next run, or its id is in the state file and in the message.
class MultipartFlow final : public Flow {
  public:
    using SupplyMaker = std::function<std::unique_ptr<PartSupply>(uint64_t part_size)>;
    /// @param make_supply  called with the part size of the upload that is gone on with, or with 0 for a new one
    MultipartFlow(Services& services, std::string item, MultipartJob job, SupplyMaker make_supply);

    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;
    void more(Desk& desk) override;
    [[nodiscard]] Turn turn() const override {
        if (phase_ != Phase::parts) return Turn::no;
        return wants_turn_ ? Turn::at_once : Turn::each;
    }
    [[nodiscard]] bool tidying() const override { return phase_ == Phase::tidying; }
    void stop(Desk& desk, Outcome outcome) override;

  private:
    enum class Phase : uint8_t { starting, parts, completing, failing, tidying };

    // multipart_flow.cpp: Create and the parts
    void look_first(Desk& desk);
    void start_new(Desk& desk);
    void on_created(Desk& desk, const OperationResult& result);
    void begin_parts(uint64_t part_size);
    void send_part(Desk& desk, std::unique_ptr<Part> part);
    [[nodiscard]] bool may_begin(const Desk& desk) const;
    OperationSpec part_spec(Part& part);
    void on_part(Desk& desk, unsigned number, OperationResult result);
    bool mend_part(Part& part, policy::Repair repair);
    bool reread(Part& part, bool may_send_again);
    void review_part(Part& part, const wire::Reply& reply, policy::Verdict& verdict);
    std::optional<std::string> damage(Part& part, const wire::HttpAnswer& answer);
    void source_failed(Desk& desk, Error why);
    [[nodiscard]] bool sends_checksum() const { return send_checksum_ && job_.checksum.has_value(); }
    [[nodiscard]] bool own_checksum() const { return sends_checksum() && !job_.checksum_by_user; }

    // multipart_hedge.cpp
    void hedge(Desk& desk);
    void on_hedge(Desk& desk, OperationResult result);

    // multipart_resume.cpp: what an earlier process left
    void open_journal(Desk& desk);
    void on_token_look(Desk& desk, OperationResult result);
    void tidy_completed(Desk& desk, bool resuming);
    void list_parts(Desk& desk, unsigned after);
    void on_listed(Desk& desk, OperationResult result);
    void on_listing_failed(Desk& desk, OperationResult result);
    Result<bool> take_believed(Part& part);
    void trust_own_records();

    // multipart_finish.cpp: Complete, and how it ends
    void complete_when_done(Desk& desk);
    void on_source_checked(Desk& desk, const OperationResult& result);
    void check_condition(Desk& desk);
    void on_condition(Desk& desk, const OperationResult& result);
    void send_complete(Desk& desk);
    [[nodiscard]] LookTarget look() const;
    void on_completed(Desk& desk, OperationResult result);
    std::optional<std::string> wrong_object(const wire::WriteResult& written);
    bool begin_again(Desk& desk, std::string_view why, bool still_there = false);
    void succeed(Desk& desk);

    // multipart_abort.cpp
    void fail(Desk& desk, Outcome outcome);
    void settle_failure(Desk& desk);
    [[nodiscard]] bool is_kept() const;
    void send_abort(Desk& desk);
    void on_aborted(Desk& desk, const OperationResult& result);
    void on_abort_checked(Desk& desk, const OperationResult& result);
    void abort_ended(Desk& desk, std::string_view trouble);

    // multipart_orphans.cpp: after a Create whose answer was lost
    bool sweep_orphans(Desk& desk);
    void on_uploads_listed(Desk& desk, const OperationResult& result);
    void next_orphan(Desk& desk);
    void on_orphan_parts(Desk& desk, const OperationResult& result);
    void end_sweep(Desk& desk);
    void next_stray(Desk& desk);
    void on_stray_aborted(Desk& desk, const OperationResult& result);

    void note(std::string text);

    Services& services_;
    std::string item_;
    MultipartJob job_;
    SupplyMaker make_supply_;
    std::unique_ptr<PartSupply> supply_;
    UploadJournal journal_;
    Phase phase_ = Phase::starting;
    std::string write_token_;
    bool token_shared_ = false;  ///< another process may complete an upload of its own with it
    std::string upload_id_;
    WallTime created_at_{};  ///< local
    bool send_checksum_ = true;
    bool wants_turn_ = false;

    FlightLimit flight_;
    std::map<unsigned, std::unique_ptr<Part>> in_flight_;
    Hedge hedge_;
    DoneParts done_;
    std::map<unsigned, wire::ListedPart> listed_;  ///< by the store, not yet compared with ours
    std::map<unsigned, DonePart> trusted_;         ///< own records, where the store does not list
    bool listing_to_mend_ = false;
    unsigned list_after_ = 0;
    unsigned mends_ = 0;
    unsigned restarts_ = 0;
    bool restarting_ = false;
    bool abort_first_ = false;  ///< the store still has the upload that is begun again
    bool complete_unknown_ = false;
    bool plain_complete_ = false;

    Outcome outcome_;  ///< of the success, or of the failure once there is one
    unsigned aborts_ = 0;
    std::function<void(Desk&)> after_abort_;
    std::vector<wire::ListedUpload> orphans_;
    std::vector<std::pair<std::string, UploadRecord>> strays_;
    std::vector<std::string> swept_;  ///< pages of strays that are gone when the sweep has ended well
    bool sweep_failed_ = false;
    bool create_lost_ = false;
    WallTime first_create_{};
    std::function<void(Desk&)> after_sweep_;
};

/// Tags of its operations; part N has tag_part + N.
namespace multipart_tag {
inline constexpr unsigned look_first = 1, token_look = 2, create = 3, list = 4, complete = 5, abort = 6,
                          abort_check = 7, uploads = 8, orphan_parts = 9, orphan_abort = 10, source_check = 11,
                          hedge = 12, stray_abort = 13, condition = 14, part = 100;
}  // namespace multipart_tag

}  // namespace s3tug::engine
