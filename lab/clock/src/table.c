/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the timing table into memory and finds instructions by address. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct record) == 12, "the table's record is 12 bytes");
_Static_assert(sizeof(struct table_header) == 40, "the table's header is 40 bytes");

struct table_header table;
const struct operand *table_operands;
static const struct region *regions;
static const struct record **records; /* one array a region */

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *bytes = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        rewind(file);
        bytes = end > 0 ? malloc((size_t)end) : NULL;
        *length = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    }
    fclose(file);
    return bytes;
}

static bool refuse(const char *path, const char *cause)
{
    fprintf(stderr, "taktos-clock: %s: %s\n", path, cause);
    return false;
}

bool table_read(const char *path)
{
    size_t length = 0;
    char *bytes = read_file(path, &length);
    if (!bytes)
        return refuse(path, "cannot be read");
    if (length < sizeof table || memcmp(bytes, "TAKTAB03", 8) != 0)
        return refuse(path, "is not a timing table of this version");
    memcpy(&table, bytes, sizeof table);
    size_t at = sizeof table + table.regions * sizeof(struct region);
    if (length < at || table.phases == 0 || table.phases > MAX_PHASES)
        return refuse(path, "is damaged");
    regions = (const struct region *)(bytes + sizeof table);
    records = calloc(table.regions, sizeof *records);
    for (uint32_t i = 0; i < table.regions; i++) {
        records[i] = (const struct record *)(bytes + at);
        at += (size_t)regions[i].slots * sizeof(struct record);
    }
    table_operands = (const struct operand *)(bytes + at);
    at += (size_t)table.operands * sizeof(struct operand);
    return at == length || refuse(path, "is damaged");
}

const struct record *table_find(uint32_t address)
{
    for (uint32_t i = 0; i < table.regions; i++) {
        uint32_t slot = (address - regions[i].base) / 2;
        if (address >= regions[i].base && slot < regions[i].slots)
            return records[i][slot].size ? &records[i][slot] : NULL;
    }
    return NULL;
}
