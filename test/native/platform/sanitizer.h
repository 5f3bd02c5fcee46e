#pragma once

// Whether AddressSanitizer or ThreadSanitizer is built in: they allocate, and
// their shadow memory takes page faults.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EDGEWISE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EDGEWISE_SANITIZED 1
#endif
#endif
#ifndef EDGEWISE_SANITIZED
#define EDGEWISE_SANITIZED 0
#endif
