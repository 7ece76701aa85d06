/* Files and directories: what each call gives back in a thread, and what programs rely on beside: places, sizes, holes, names, who has a
 * file open, and that memory comes back.
 * Owns: the cases. Must never know: the board, but for an interrupt that no device has. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if __has_include(<_newlib_version.h>)
#include <stdio.h>
#include <string.h>
#else
int rename(const char *old, const char *new);
int remove(const char *path);
#endif

#include "check.h"

#define IS(expression, expected) compare(#expression, "", (long)(expression), (long)(expected))
#define FAILS(expression, error) IS((expression) == -1 ? errno : 0, error)
#define NEW (O_RDWR | O_CREAT | O_EXCL)
#define BLOCK 512

#ifdef __linux__
#error "there is no Linux"
#endif
_Static_assert(SSIZE_MAX == (ssize_t)(SIZE_MAX / 2), "limits.h");

static char bytes[3 * BLOCK];

static unsigned long free_blocks(void)
{
    struct statvfs volume = { 0 };

    IS(statvfs("/", &volume), 0);
    IS(volume.f_bsize, BLOCK);
    IS(volume.f_namemax, 255);
    return (unsigned long)volume.f_bfree;
}

static long size_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static int made(const char *path)
{
    int file = open(path, NEW, 0644);

    IS(file >= 3, 1);
    return file;
}

static void put(const char *path)
{
    IS(close(made(path)), 0);
}

/* The bytes at a place, by a read of one: -1 at the end. */
static int byte_at(int file, off_t place)
{
    unsigned char byte;

    IS(lseek(file, place, SEEK_SET), place);
    return read(file, &byte, 1) == 1 ? byte : -1;
}

static void contents(void)
{
    int file = made("/one"), other;
    struct stat status;

    for (int i = 0; i < (int)sizeof bytes; i++) {
        bytes[i] = (char)(i % 251);
    }
    IS(write(file, bytes, 700), 700);
    IS(lseek(file, 0, SEEK_CUR), 700);
    IS(byte_at(file, 0), 0);
    IS(byte_at(file, 511), 511 % 251);
    IS(byte_at(file, 512), 512 % 251);
    IS(byte_at(file, 699), 699 % 251);
    IS(byte_at(file, 700), -1);
    /* Across the blocks, and beyond the end. */
    IS(lseek(file, -200, SEEK_END), 500);
    IS(read(file, bytes, sizeof bytes), 200);
    IS(bytes[0], (char)(500 % 251));
    IS(bytes[199], (char)(699 % 251));
    IS(read(file, bytes, sizeof bytes), 0);
    FAILS(lseek(file, -1, SEEK_SET), EINVAL);
    FAILS(lseek(file, 0, 3), EINVAL);

    /* A hole reads as zeroes, and has no memory. */
    IS(lseek(file, 100 * BLOCK + 3, SEEK_SET), 100 * BLOCK + 3);
    IS(write(file, "x", 1), 1);
    IS(fstat(file, &status), 0);
    IS(status.st_size, 100 * BLOCK + 4);
    IS(status.st_blocks, 3);
    IS(S_ISREG(status.st_mode), 1);
    IS(status.st_mode & 07777, 0644);
    IS(status.st_nlink, 1);
    IS(status.st_mtime >= 1767225600, 1);
    IS(byte_at(file, 800), 0);
    IS(byte_at(file, 50 * BLOCK), 0);
    IS(byte_at(file, 100 * BLOCK + 3), 'x');

    /* What is cut off is zeroes where the file grows again. */
    IS(ftruncate(file, 600), 0);
    IS(size_of("/one"), 600);
    IS(ftruncate(file, 700), 0);
    IS(byte_at(file, 599), 599 % 251);
    IS(byte_at(file, 600), 0);
    IS(byte_at(file, 699), 0);
    IS(truncate("/one", 10), 0);
    IS(size_of("/one"), 10);
    FAILS(ftruncate(file, -1), EINVAL);
    FAILS(truncate("/none", 0), ENOENT);

    /* Two descriptors have a place each; one that appends writes at the end. */
    other = open("/one", O_WRONLY | O_APPEND);
    IS(lseek(file, 0, SEEK_SET), 0);
    IS(write(other, "end", 3), 3);
    IS(lseek(other, 0, SEEK_CUR), 13);
    IS(byte_at(file, 12), 'd');
    FAILS(read(other, bytes, 1), EBADF);
    IS(fcntl(other, F_GETFL) & (O_ACCMODE | O_APPEND), O_WRONLY | O_APPEND);
    IS(fcntl(other, F_SETFL, 0), 0);
    IS(lseek(other, 0, SEEK_SET), 0);
    IS(write(other, "s", 1), 1);
    IS(byte_at(file, 0), 's');
    FAILS(fcntl(other, 99), EINVAL);
    IS(close(other), 0);
    other = open("/one", O_RDONLY);
    FAILS(write(other, "x", 1), EBADF);
    FAILS(ftruncate(other, 0), EINVAL);
    IS(posix_fallocate(other, 0, 1), EBADF);
    IS(close(other), 0);

    /* Memory for what is written later. */
    IS(posix_fallocate(file, 5 * BLOCK, BLOCK), 0);
    IS(size_of("/one"), 6 * BLOCK);
    IS(byte_at(file, 5 * BLOCK + 7), 0);
    IS(posix_fallocate(file, 0, 0), EINVAL);
    IS(posix_fallocate(file, -1, 1), EINVAL);
    IS(posix_fallocate(file, LONG_MAX, 1), EFBIG);
    IS(lseek(file, LONG_MAX, SEEK_SET), LONG_MAX);
    FAILS(write(file, "x", 1), EFBIG);
    FAILS(lseek(file, 1, SEEK_CUR), EOVERFLOW);
    IS(fsync(file), 0);
    sync();

    IS(close(open("/one", O_WRONLY | O_TRUNC)), 0);
    IS(size_of("/one"), 0);
    IS(unlink("/one"), 0);
    /* It is there until its last close. */
    FAILS(open("/one", O_RDWR), ENOENT);
    IS(lseek(file, 0, SEEK_SET), 0);
    IS(write(file, "kept", 4), 4);
    IS(byte_at(file, 3), 't');
    IS(close(file), 0);
    FAILS(close(file), EBADF);
}

static void descriptors(void)
{
    int file, first, count = 0, files[OPEN_MAX + 1];
    struct stat status;

    put("/one");
    FAILS(open("/one", NEW), EEXIST);
    FAILS(open("/one", O_RDONLY | O_TRUNC), EINVAL);
    FAILS(open("/one", 3), EINVAL);
    FAILS(open("/one", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("/one/", O_RDONLY), ENOTDIR);
    FAILS(open("/one/two", NEW, 0600), ENOTDIR);
    FAILS(open("/none", O_RDONLY), ENOENT);
    FAILS(open("/none/one", NEW, 0600), ENOENT);
    FAILS(open("/two/", NEW, 0600), EISDIR);
    FAILS(open("", NEW, 0600), ENOENT);
    FAILS(open(NULL, NEW, 0600), EFAULT);
    FAILS(open("/tmp", O_RDWR), EISDIR);
    file = open("/tmp", O_RDONLY);
    FAILS(read(file, bytes, 1), EISDIR);
    FAILS(ftruncate(file, 0), EINVAL);
    IS(fstat(file, &status), 0);
    IS(S_ISDIR(status.st_mode), 1);
    IS(close(file), 0);

    /* The lowest one is taken, and there are OPEN_MAX with the console's. */
    while (count <= OPEN_MAX && (file = open("/one", O_RDONLY)) != -1) {
        files[count++] = file;
    }
    IS(errno, EMFILE);
    IS(count, OPEN_MAX - 3);
    first = files[0];
    IS(first, 3);
    IS(close(files[7]), 0);
    IS(open("/one", O_RDONLY), files[7]);
    while (count > 0) {
        IS(close(files[--count]), 0);
    }
    for (int i = -1; i <= 1; i++) {
        int wrong = i < 0 ? -1 : i == 0 ? OPEN_MAX : first;
        FAILS(read(wrong, bytes, 1), EBADF);
        FAILS(write(wrong, bytes, 1), EBADF);
        FAILS(lseek(wrong, 0, SEEK_SET), EBADF);
        FAILS(fstat(wrong, &status), EBADF);
        FAILS(fsync(wrong), EBADF);
        FAILS(close(wrong), EBADF);
        IS(isatty(wrong), 0);
        IS(errno, EBADF);
    }

    /* The console. */
    IS(isatty(STDOUT_FILENO), 1);
    IS(fstat(STDOUT_FILENO, &status), 0);
    IS(S_ISCHR(status.st_mode), 1);
    FAILS(lseek(STDOUT_FILENO, 0, SEEK_SET), ESPIPE);
    IS(read(STDIN_FILENO, bytes, 1), 0);
    IS(write(STDOUT_FILENO, "", 0), 0);
    file = open("/one", O_RDONLY);
    IS(isatty(file), 0);
    IS(errno, ENOTTY);
    IS(close(file), 0);

    IS(chmod("/one", 0400), 0);
    IS(stat("/one", &status), 0);
    IS(status.st_mode & 07777, 0400);
    IS(access("/one", R_OK | W_OK), 0);
    FAILS(access("/one", X_OK), EACCES);
    FAILS(access("/none", F_OK), ENOENT);
    IS(remove("/one"), 0);
}

static void names(void)
{
    static char name[300], path[1100];
    struct stat status, other;

    for (int i = 0; i < 299; i++) {
        name[i] = i == 0 ? '/' : 'n';
    }
    FAILS(open(name, NEW, 0600), ENAMETOOLONG);
    name[256] = '\0';
    put(name);
    IS(unlink(name), 0);
    for (int i = 0; i < 1099; i++) {
        path[i] = '/';
    }
    FAILS(stat(path, &status), ENAMETOOLONG);
    path[1023] = '\0';
    IS(stat(path, &status), 0);

    IS(mkdir("/a", 0700), 0);
    IS(mkdir("/a/b/", 0700), 0);
    FAILS(mkdir("/a", 0700), EEXIST);
    FAILS(mkdir("/none/b", 0700), ENOENT);
    put("/a/b/file");
    FAILS(mkdir("/a/b/file/c", 0700), ENOTDIR);
    /* Ways to one file. */
    IS(stat("a//b/./../b/file", &status), 0);
    IS(stat("/../a/b/file", &other), 0);
    IS(status.st_ino, other.st_ino);
    IS(stat("/a/b", &other), 0);
    IS(status.st_ino != other.st_ino, 1);

    FAILS(rmdir("/a"), ENOTEMPTY);
    FAILS(rmdir("/a/b/file"), ENOTDIR);
    FAILS(rmdir("/a/b/."), ENOTEMPTY);
    FAILS(rmdir("/none"), ENOENT);
    FAILS(rmdir("/tmp"), EBUSY);
    FAILS(rmdir("/"), ENOTEMPTY);
    FAILS(unlink("/a"), EPERM);
    FAILS(unlink("/none"), ENOENT);

    /* Another name for a file, also one that was another's. */
    IS(rename("/a/b/file", "/a/file"), 0);
    FAILS(stat("/a/b/file", &other), ENOENT);
    IS(stat("/a/file", &other), 0);
    IS(status.st_ino, other.st_ino);
    put("/a/taken");
    IS(rename("/a/file", "/a/taken"), 0);
    IS(stat("/a/taken", &other), 0);
    IS(status.st_ino, other.st_ino);
    IS(rename("/a/taken", "/a/./taken"), 0);
    FAILS(rename("/none", "/a/file"), ENOENT);
    FAILS(rename("/a/taken", "/a/b"), EISDIR);
    FAILS(rename("/a/b", "/a/taken"), ENOTDIR);
    FAILS(rename("/a/taken", "/a/new/"), ENOTDIR);
    FAILS(rename("/tmp", "/a/tmp"), EBUSY);
    FAILS(rename("/a", "/tmp"), EBUSY);
    /* No directory is in itself. */
    FAILS(rename("/a", "/a/b/a"), EINVAL);
    FAILS(rename("/a/b", "/a/b/c"), EINVAL);
    FAILS(rename("/a/b", "/a"), ENOTEMPTY);
    IS(mkdir("/c", 0700), 0);
    IS(rename("/a/b", "/c/"), 0);
    FAILS(rmdir("/a/b"), ENOENT);
    FAILS(rename("/c", "/a"), ENOTEMPTY);
    FAILS(rmdir("/c/."), EINVAL);
    IS(remove("/c"), 0);
    IS(unlink("/a/taken"), 0);
    IS(rmdir("/a"), 0);
}

/* How many entries a directory has, with `.` and `..`; removes or adds some meanwhile. */
static int entries(const char *path, int removes)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int count = 0;

    IS(directory != NULL, 1);
    while ((entry = readdir(directory)) != NULL) {
        count++;
        IS(entry->d_type, entry->d_name[0] == 'f' ? DT_REG : DT_DIR);
        if (removes && entry->d_name[0] == 'f') {
            char name[] = "/list/fX";
            name[7] = entry->d_name[1];
            IS(unlink(name), 0);
        }
    }
    rewinddir(directory);
    IS(readdir(directory)->d_name[0], '.');
    IS(closedir(directory), 0);
    return count;
}

static void directories(void)
{
    DIR *directory;

    IS(mkdir("/list", 0700), 0);
    IS(entries("/list", 0), 2);
    for (char name[] = "/list/fa"; name[7] < 'k'; name[7]++) {
        put(name);
    }
    IS(entries("/list", 0), 12);
    IS(entries("/list", 1), 12);
    IS(entries("/list", 0), 2);
    IS(opendir("/none") == NULL ? errno : 0, ENOENT);
    put("/file");
    IS(opendir("/file") == NULL ? errno : 0, ENOTDIR);
    IS(readdir(NULL) == NULL ? errno : 0, EBADF);
    IS(unlink("/file"), 0);
    /* One that is read can be removed: nothing comes into it any more. */
    directory = opendir("/list");
    IS(rmdir("/list"), 0);
    FAILS(open("/list/file", NEW, 0600), ENOENT);
    IS(readdir(directory)->d_name[1], '\0');
    IS(readdir(directory)->d_name[1], '.');
    IS(readdir(directory) == NULL, 1);
    IS(closedir(directory), 0);
}

static void waits(void)
{
    struct timeval time = { .tv_sec = 0, .tv_usec = 20000 };
    struct timespec before, after;
    fd_set reads, writes;
    int file = made("/one");

    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_SET(file, &reads);
    FD_SET(file, &writes);
    FD_SET(STDOUT_FILENO, &writes);
    IS(select(file + 1, &reads, &writes, NULL, &time), 3);
    IS(FD_ISSET(file, &reads) != 0, 1);
    IS(FD_ISSET(STDOUT_FILENO, &writes) != 0, 1);
    /* Those from the count on are not looked at. */
    IS(select(file, &reads, NULL, NULL, &time), 0);
    IS(FD_ISSET(file, &reads) != 0, 0);
    IS(close(file), 0);
    FD_SET(file, &reads);
    FAILS(select(file + 1, &reads, NULL, NULL, &time), EBADF);
    FAILS(select(-1, NULL, NULL, NULL, &time), EINVAL);
    FAILS(select(FD_SETSIZE + 1, NULL, NULL, NULL, &time), EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &before);
    IS(select(0, NULL, NULL, NULL, &time), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    IS((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 20, 1);
    time.tv_usec = -1;
    FAILS(select(0, NULL, NULL, NULL, &time), EINVAL);
    IS(unlink("/one"), 0);
}

static void in_handlers(int row)
{
    static struct stat status;
    static int file;

    BEGIN(in_handlers)
    file = made("/one");
    ROW(write(file, "abc", 3), 3, -1);
    ROW(read(file, bytes, 3), 0, -1);
    ROW(lseek(file, 1, SEEK_SET), 1, -1);
    ROW(stat("/one", &status), 0, -1);
    ROW(mkdir("/one", 0700) == -1 ? errno : 0, EEXIST, EPERM);
    ROW(open("/none", O_RDONLY) == -1 ? errno : 0, ENOENT, EPERM);
    ROW(select(0, NULL, NULL, NULL, &(struct timeval){ 0, 0 }), 0, -1);
    ROW(write(STDOUT_FILENO, "", 0), 0, 0);
    IS(close(file), 0);
    IS(unlink("/one"), 0);
    END;
}

#define LINES 300

static void *append(void *letter)
{
    int file = open("/log", O_WRONLY | O_APPEND);
    char line[8];

    for (int i = 0; i < 8; i++) {
        line[i] = (char)(intptr_t)letter;
    }
    for (int i = 0; i < LINES; i++) {
        IS(write(file, line, sizeof line), sizeof line);
        if (i % 50 == (int)(intptr_t)letter % 50) {
            usleep(1000);
        }
    }
    IS(close(file), 0);
    return NULL;
}

/* Threads that append at one time: each line is whole, and none is lost. */
static void threads(void)
{
    pthread_t helpers[3];
    int file = made("/log"), torn = 0;

    for (intptr_t i = 0; i < 3; i++) {
        IS(pthread_create(&helpers[i], NULL, append, (void *)('a' + i)), 0);
    }
    for (int i = 0; i < 3; i++) {
        IS(pthread_join(helpers[i], NULL), 0);
    }
    IS(size_of("/log"), 3 * LINES * 8);
    while (read(file, bytes, 8) == 8) {
        for (int i = 1; i < 8; i++) {
            torn += bytes[i] != bytes[0];
        }
    }
    IS(torn, 0);
    IS(close(file), 0);
    IS(unlink("/log"), 0);
}

static void streams(void)
{
#if __has_include(<_newlib_version.h>)
    FILE *stream = fopen("/tmp/text", "w+");
    char line[32];

    IS(fopen("/none/text", "r") == NULL ? errno : 0, ENOENT);
    IS(fprintf(stream, "line %d\nline %.1f\n", 1, 2.5), 16);
    IS(fseek(stream, 0, SEEK_SET), 0);
    IS(fgets(line, sizeof line, stream) != NULL && strcmp(line, "line 1\n") == 0, 1);
    IS(fgets(line, sizeof line, stream) != NULL && strcmp(line, "line 2.5\n") == 0, 1);
    IS(fgets(line, sizeof line, stream) == NULL, 1);
    IS(fclose(stream), 0);
    IS(size_of("/tmp/text"), 16);
    stream = fopen("/tmp/text", "a");
    IS(fputs("end", stream) >= 0, 1);
    IS(fclose(stream), 0);
    IS(size_of("/tmp/text"), 19);
    IS(remove("/tmp/text"), 0);
#endif
}

static const char *numbered(int number)
{
    static char name[] = "/dNNNN";

    for (int i = 5; i > 1; i--) {
        name[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return name;
}

/* A file that takes all memory: what is there stays, and all of it comes back. */
static void full(void)
{
    int file = made("/large");
    long size = 0, written;
    int count = 0, opened = 0;

    while ((written = write(file, bytes, sizeof bytes)) > 0) {
        size += written;
    }
    IS(errno, ENOSPC);
    IS(size_of("/large"), size);
    IS(size > 100 * BLOCK, 1);
    FAILS(write(file, bytes, 1), ENOSPC);
    IS(posix_fallocate(file, size, 10 * BLOCK), ENOSPC);
    for (; mkdir(numbered(count), 0700) == 0 && count < 9999; count++) {
    }
    IS(errno, ENOSPC);
    /* A directory that cannot be read for want of memory is not open afterwards: it goes below. */
    for (int i = 0; i < count; i++) {
        opened += opendir(numbered(i)) != NULL;
    }
    IS(opened, 0);
    IS(errno, ENOMEM);
    while (count > 0) {
        IS(rmdir(numbered(--count)), 0);
    }
    IS(byte_at(file, size - 1), (unsigned char)bytes[(size - 1) % (long)sizeof bytes]);
    IS(ftruncate(file, 0), 0);
    IS(mkdir("/more", 0700), 0);
    IS(rmdir("/more"), 0);
    IS(close(file), 0);
    IS(unlink("/large"), 0);
}

int main(void)
{
    unsigned long before;

    TAKTOS_INTERRUPT_ENABLE(SPARE);
    /* The table of descriptors stays. */
    put("/first");
    IS(unlink("/first"), 0);
    streams();
    before = free_blocks();
    contents();
    descriptors();
    names();
    directories();
    waits();
    in_handlers(0);
    threads();
    streams();
    IS(free_blocks(), before);
    full();
    IS(free_blocks(), before);
    report();
    return 1;
}
