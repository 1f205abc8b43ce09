"""libcrypto: its digests and ciphers, not the C library, but in many programs.

A context is the library's own object, which two threads may not use at the same time; algorithms are constants. Keys
and data are read during the call, and so are functions called that it is given. All else the library guards itself.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import ALL, INT, OPAQUE, arg, calls, constant, effects, frees, n, rd, rw, wr

_ALGORITHM: Final = constant("algorithms of libcrypto")

OPENSSL: Final = effects(
    ("EVP_CIPHER_CTX_new EVP_MD_CTX_new EVP_MD_CTX_create HMAC_CTX_new", OPAQUE),
    ("EVP_CIPHER_CTX_free EVP_MD_CTX_free EVP_MD_CTX_destroy HMAC_CTX_free", frees(0)),
    ("EVP_CIPHER_CTX_reset EVP_CIPHER_CTX_cleanup EVP_MD_CTX_reset EVP_MD_CTX_cleanup HMAC_CTX_reset", rw(0, ALL)),
    ("EVP_CIPHER_CTX_init EVP_MD_CTX_init", wr(0, ALL)),
    ("EVP_CIPHER_CTX_set_padding EVP_CIPHER_CTX_set_key_length", rw(0, ALL)),
    ("EVP_EncryptInit EVP_DecryptInit EVP_CipherInit", rw(0, ALL), rd(2, ALL), rd(3, ALL)),
    ("EVP_EncryptInit_ex EVP_DecryptInit_ex EVP_CipherInit_ex", rw(0, ALL), rd(3, ALL), rd(4, ALL)),
    ("EVP_EncryptUpdate EVP_DecryptUpdate EVP_CipherUpdate", rw(0, ALL), wr(1, ALL), wr(2, INT), rd(3, n(4))),
    ("EVP_EncryptFinal EVP_DecryptFinal EVP_CipherFinal", rw(0, ALL), wr(1, ALL), wr(2, INT)),
    ("EVP_EncryptFinal_ex EVP_DecryptFinal_ex EVP_CipherFinal_ex", rw(0, ALL), wr(1, ALL), wr(2, INT)),
    ("EVP_DigestInit EVP_DigestInit_ex", rw(0, ALL)),
    ("EVP_DigestUpdate", rw(0, ALL), rd(1, n(2))),
    ("EVP_DigestFinal EVP_DigestFinal_ex", rw(0, ALL), wr(1, ALL), wr(2, INT)),
    ("EVP_Digest", rd(0, n(1)), wr(2, ALL), wr(3, INT)),
    ("EVP_BytesToKey", rd(2, ALL), rd(3, n(4)), wr(6, ALL), wr(7, ALL)),
    ("PKCS5_PBKDF2_HMAC", rd(0, ALL), rd(2, n(3)), wr(7, n(6))),
    ("PKCS5_PBKDF2_HMAC_SHA1", rd(0, ALL), rd(2, n(3)), wr(6, n(5))),
    ("EVP_aes_128_cbc EVP_aes_192_cbc EVP_aes_256_cbc EVP_aes_128_ecb EVP_aes_256_ecb EVP_aes_128_ctr", _ALGORITHM),
    ("EVP_aes_256_ctr EVP_des_cbc EVP_des_ede3_cbc EVP_bf_cbc EVP_rc4 EVP_chacha20 EVP_enc_null", _ALGORITHM),
    ("EVP_md5 EVP_sha1 EVP_sha224 EVP_sha256 EVP_sha384 EVP_sha512 EVP_ripemd160 EVP_md_null", _ALGORITHM),
    ("EVP_get_cipherbyname EVP_get_digestbyname", rd(0), _ALGORITHM),
    ("EVP_CIPHER_name EVP_CIPHER_get0_name EVP_MD_name EVP_MD_get0_name OBJ_nid2sn OBJ_nid2ln", _ALGORITHM),
    ("EVP_CIPHER_key_length EVP_CIPHER_iv_length EVP_CIPHER_block_size EVP_CIPHER_nid EVP_CIPHER_type",),
    ("EVP_CIPHER_get_key_length EVP_CIPHER_get_iv_length EVP_CIPHER_get_block_size EVP_CIPHER_get_nid",),
    ("EVP_MD_size EVP_MD_block_size EVP_MD_type EVP_MD_get_size EVP_MD_get_block_size EVP_MD_get_type",),
    ("EVP_CIPHER_do_all EVP_CIPHER_do_all_sorted EVP_MD_do_all EVP_MD_do_all_sorted", calls(0, None, None, None, 1)),
    ("OBJ_NAME_do_all OBJ_NAME_do_all_sorted", calls(1, None, 2)),
    ("EVP_cleanup OpenSSL_add_all_algorithms OpenSSL_add_all_ciphers OpenSSL_add_all_digests ERR_free_strings",),
    ("OPENSSL_add_all_algorithms_noconf OPENSSL_add_all_algorithms_conf ERR_load_crypto_strings",),
    ("MD5_Init SHA1_Init SHA224_Init SHA256_Init SHA384_Init SHA512_Init", wr(0, ALL)),
    ("MD5_Update SHA1_Update SHA224_Update SHA256_Update SHA384_Update SHA512_Update", rw(0, ALL), rd(1, n(2))),
    ("MD5_Final SHA1_Final SHA224_Final SHA256_Final SHA384_Final SHA512_Final", wr(0, ALL), rw(1, ALL)),
    ("RAND_bytes RAND_pseudo_bytes", wr(0, n(1))),
    ("OPENSSL_cleanse", wr(0, n(1))),
    ("CRYPTO_memcmp", rd(0, n(2)), rd(1, n(2))),
    ("ERR_get_error ERR_peek_error ERR_clear_error",),
    ("ERR_error_string_n", wr(1, n(2)), arg(1)),
)
