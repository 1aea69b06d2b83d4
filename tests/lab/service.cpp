#include <algorithm>
#include <array>

#include "lab/ops.h"

namespace s3tug::lab {

namespace {

struct Operation {
    std::string_view name;
    Answer (*carry_out)(Service&, const Call&);
};

constexpr std::array operations = {
    Operation{"PutObject", put_object},
    Operation{"GetObject", get_object},
    Operation{"HeadObject", get_object},
    Operation{"DeleteObject", delete_object},
    Operation{"DeleteObjects", delete_objects},
    Operation{"CopyObject", copy_object},
    Operation{"ListBuckets", list_buckets},
    Operation{"HeadBucket", bucket_operation},
    Operation{"CreateBucket", bucket_operation},
    Operation{"DeleteBucket", bucket_operation},
    Operation{"GetBucketLocation", bucket_operation},
    Operation{"GetBucketVersioning", bucket_operation},
    Operation{"PutBucketVersioning", bucket_operation},
    Operation{"ListObjects", list_objects},
    Operation{"ListObjectsV2", list_objects},
    Operation{"ListObjectVersions", list_versions},
    Operation{"CreateMultipartUpload", create_upload},
    Operation{"UploadPart", upload_part},
    Operation{"UploadPartCopy", upload_part},
    Operation{"CompleteMultipartUpload", complete_upload},
    Operation{"AbortMultipartUpload", abort_upload},
    Operation{"ListParts", list_parts},
    Operation{"ListMultipartUploads", list_uploads},
};

}  // namespace

Answer Service::perform(const Call& call) {
    const auto* found = std::ranges::find(operations, call.op, &Operation::name);
    if (found == operations.end()) return refuse("NotImplemented");
    return found->carry_out(*this, call);
}

}  // namespace s3tug::lab
