/* sha256.c: SHA-256 [FIPS 180-4, section 6.2] and HMAC [RFC 2104]; for raceproof.explore. */

#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void add_block(struct sha256 *hash, const uint8_t *block) {
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, hash->state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t one = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                       constants[t] + w[t];
        uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) hash->state[i] += v[i];
}

void sha256_begin(struct sha256 *hash) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, first, sizeof first);
    hash->bytes = 0;
}

void sha256_add(struct sha256 *hash, const void *data, size_t size) {
    const uint8_t *from = data;
    while (size > 0) {
        size_t used = hash->bytes % SHA256_BLOCK, n = SHA256_BLOCK - used;
        if (n > size) n = size;
        if (n == SHA256_BLOCK) {
            add_block(hash, from);
        } else {
            memcpy(hash->block + used, from, n);
            if (used + n == SHA256_BLOCK) add_block(hash, hash->block);
        }
        hash->bytes += n;
        from += n;
        size -= n;
    }
}

void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]) {
    uint64_t bits = hash->bytes * 8;
    static const uint8_t padding[SHA256_BLOCK] = {0x80};
    size_t used = hash->bytes % SHA256_BLOCK;
    sha256_add(hash, padding, (used < 56 ? 56 : 120) - used);
    uint8_t length[8];
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(hash, length, sizeof length);
    for (int i = 0; i < SHA256_SIZE; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_begin(struct hmac *mac, const void *key, size_t size) {
    uint8_t block[SHA256_BLOCK] = {0};
    if (size > sizeof block) {
        struct sha256 hash;
        sha256_begin(&hash);
        sha256_add(&hash, key, size);
        sha256_end(&hash, block);
    } else if (size > 0) {
        memcpy(block, key, size);
    }
    for (int i = 0; i < SHA256_BLOCK; i++) block[i] ^= 0x36;
    sha256_begin(&mac->inner);
    sha256_add(&mac->inner, block, sizeof block);
    for (int i = 0; i < SHA256_BLOCK; i++) block[i] ^= 0x36 ^ 0x5c;
    sha256_begin(&mac->outer);
    sha256_add(&mac->outer, block, sizeof block);
}

void hmac_add(struct hmac *mac, const void *data, size_t size) { sha256_add(&mac->inner, data, size); }

void hmac_end(struct hmac *mac, uint8_t digest[SHA256_SIZE]) {
    sha256_end(&mac->inner, digest);
    sha256_add(&mac->outer, digest, SHA256_SIZE);
    sha256_end(&mac->outer, digest);
}

bool same_digest(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE]) {
    volatile uint8_t difference = 0;
    for (int i = 0; i < SHA256_SIZE; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}
