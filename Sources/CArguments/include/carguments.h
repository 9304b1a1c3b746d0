#ifndef TRESTLE_CARGUMENTS_H
#define TRESTLE_CARGUMENTS_H

/*
 * The arguments of the process, as glibc hands them to constructors. Swift's runtime on Linux reads all of
 * /proc/self/maps at each start to find them on the stack, 0.07 of a start of `redis-cli` (docs/decisions/0030). These are
 * all the symbols that its object file (CommandLine.cpp.o) has, so that the linker does not take that one out of the
 * archive. Nobody calls them but the runtime.
 */
char **_swift_stdlib_getUnsafeArgvArgc(int *count);
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

#endif
