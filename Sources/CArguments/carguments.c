#include "carguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **arguments = none;
static int count;

/* 101 is the first that is not the system's: whatever asks for the arguments is later. */
__attribute__((constructor(101))) static void keep(int given, char **those, char **environment) {
    (void)environment;
    arguments = those;
    count = given;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *out) {
    *out = count;
    return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **others, int number) {
    arguments = others;
    count = number;
}
