#include "engine/below_hint.h"

#include "engine/walked_items.h"
#include "wire/list_answers.h"
#include "wire/list_requests.h"

namespace s3tug::engine {
namespace {

wire::ListObjectsInput below(const wire::S3Uri& key) {
    wire::ListObjectsInput input;
    input.bucket = key.bucket;
    input.prefix = as_folder(key.key);
    input.max_keys = 1;
    return input;
}

}  // namespace

OperationSpec look_below(const wire::S3Uri& key, const std::vector<wire::Header>& extra) {
    OperationSpec spec;
    spec.op = wire::Op::list_objects_v2;
    wire::ListObjectsInput input = below(key);
    input.extra = extra;
    spec.build = [input = std::move(input)] { return wire::list_objects_v2(input); };
    spec.review = [](const wire::Reply&, policy::Verdict& verdict) {
        if (verdict.success()) return;
        verdict.retry = policy::RetryRule::no;
        verdict.repair = policy::Repair::none;
    };
    return spec;
}

std::string below_hint(const wire::S3Uri& key, const OperationResult& listed) {
    if (listed.error) return {};
    const wire::ListObjectsInput asked = below(key);
    const Result<wire::ListObjectsPage> page = wire::parse_list_objects_v2(listed.answer, asked);
    if (!page || page->objects.empty()) return {};
    return "there are objects below " + wire::to_text({key.bucket, asked.prefix}) + ", which --recursive means";
}

}  // namespace s3tug::engine
