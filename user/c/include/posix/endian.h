/* The orders of bytes (POSIX.1-2024, endian.h): these boards are all little-endian.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef _ENDIAN_H
#define _ENDIAN_H

#include <stdint.h>
#include <sys/types.h>

#ifndef LITTLE_ENDIAN
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN __ORDER_BIG_ENDIAN__
#define BYTE_ORDER __BYTE_ORDER__
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "endian.h of Taktos is for little-endian processors"
#endif

#define htobe16(value) __builtin_bswap16(value)
#define htobe32(value) __builtin_bswap32(value)
#define htobe64(value) __builtin_bswap64(value)
#define htole16(value) ((uint16_t)(value))
#define htole32(value) ((uint32_t)(value))
#define htole64(value) ((uint64_t)(value))
#define be16toh(value) __builtin_bswap16(value)
#define be32toh(value) __builtin_bswap32(value)
#define be64toh(value) __builtin_bswap64(value)
#define le16toh(value) ((uint16_t)(value))
#define le32toh(value) ((uint32_t)(value))
#define le64toh(value) ((uint64_t)(value))

#endif /* _ENDIAN_H */
