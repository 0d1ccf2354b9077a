// The command as a program. The Python package calls sinew_main itself.
#include "sinew.h"

int main(int argc, char** argv) { return sinew_main(argc, argv); }
