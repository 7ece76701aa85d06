/* Directories that are read.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_POSIX_DIRENT_H_
#define TAKTOS_POSIX_DIRENT_H_

#include <sys/types.h>

#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8

struct dirent {
    ino_t d_ino;
    unsigned char d_type;
    char d_name[256];
};

typedef struct taktos_posix_directory DIR;

#ifdef __cplusplus
extern "C" {
#endif

DIR *opendir(const char *path);
struct dirent *readdir(DIR *directory);
void rewinddir(DIR *directory);
int closedir(DIR *directory);

#ifdef __cplusplus
}
#endif

#endif
