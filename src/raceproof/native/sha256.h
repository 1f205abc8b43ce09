/* sha256.h: SHA-256 [FIPS 180-4] and HMAC [RFC 2104], with which host and target know one another (session.c). */
#ifndef SHA256_H
#define SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t size);
void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]);

struct hmac {
    struct sha256 inner, outer;
};

void hmac_begin(struct hmac *mac, const void *key, size_t size);
void hmac_add(struct hmac *mac, const void *data, size_t size);
void hmac_end(struct hmac *mac, uint8_t digest[SHA256_SIZE]);

/* In the same time wherever they differ. */
bool same_digest(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE]);

#endif
