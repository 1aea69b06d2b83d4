#include "sim/world/account.h"

#include <cstdlib>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define S3TUG_SIM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define S3TUG_SIM_SANITIZED 1
#endif
#endif

namespace s3tug::simworld {
namespace {

Account* paying = nullptr;
Account* free_accounts = nullptr;

}  // namespace

Account& Account::open() {
    const Allocating nobody(nullptr);
    if (free_accounts == nullptr) return *new Account;  // NOLINT: for ever
    Account& out = *std::exchange(free_accounts, free_accounts->next_free_);
    out.peak_ = 0;
    return out;
}

void Account::close(Account& account) {
    if (account.held_ != 0) return;  // something of it lives on; it is not used again
    account.next_free_ = std::exchange(free_accounts, &account);
}

std::size_t Account::take_peak() { return std::exchange(peak_, held_); }

Allocating::Allocating(Account* account) : before_(std::exchange(paying, account)) {}
Allocating::~Allocating() { paying = before_; }

#ifdef S3TUG_SIM_SANITIZED

bool Account::counts() { return false; }

#else

bool Account::counts() { return true; }

namespace {

/// Stands before each block.
struct alignas(std::max_align_t) Label {
    Account* account;
    std::size_t bytes;
};

[[gnu::noinline]] void* take(std::size_t bytes) noexcept {
    void* const block = std::malloc(sizeof(Label) + bytes);
    if (block == nullptr) return nullptr;
    auto* const label = new (block) Label{paying, sizeof(Label) + bytes};
    if (paying != nullptr) paying->add(label->bytes);
    return label + 1;
}

[[gnu::noinline]] void give(void* p) noexcept {
    if (p == nullptr) return;
    Label* const label = static_cast<Label*>(p) - 1;
    if (label->account != nullptr) label->account->subtract(label->bytes);
    std::free(label);
}

[[nodiscard]] void* take_or_throw(std::size_t bytes) {
    void* const p = take(bytes);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

}  // namespace

#endif

}  // namespace s3tug::simworld

#ifndef S3TUG_SIM_SANITIZED

using s3tug::simworld::give;
using s3tug::simworld::take;
using s3tug::simworld::take_or_throw;

void* operator new(std::size_t bytes) { return take_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return take_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give(p); }

#endif
