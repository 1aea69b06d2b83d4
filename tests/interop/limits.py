"""What each server is known not to do, and how that shows. A case that fails and stands here is no failure of ours."""
LIMITS = {
    "ceph-rgw": {},
    "swift": {},
    "moto": {},
}
