/* Functions of the C library's that a program has itself, in a file of its own, as ports of small `printf`s are: its calls come here.
 * Owns: their answers, which those of the library do not give. Must never know: the rows. */
int rand(void);
int iprintf(const char *format, ...);

int rand(void)
{
    return -4;
}

int iprintf(const char *format, ...)
{
    return format[1];
}
