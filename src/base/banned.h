/* Functions that this project does not use, as compile errors. Included before
 * every file by the build; the system headers come first so that their own
 * declarations are read untouched. */
#ifndef WG_BASE_BANNED_H
#define WG_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WG_BANNED(name, instead) wg_banned_##name##_use_##instead

/* No bound on what they write. */
#undef strcpy
#define strcpy(...) WG_BANNED(strcpy, wg_text_or_snprintf)
#undef strcat
#define strcat(...) WG_BANNED(strcat, wg_text_or_snprintf)
#undef strncpy
#define strncpy(...) WG_BANNED(strncpy, wg_text_or_snprintf)
#undef strncat
#define strncat(...) WG_BANNED(strncat, wg_text_or_snprintf)
#undef sprintf
#define sprintf(...) WG_BANNED(sprintf, snprintf)
#undef vsprintf
#define vsprintf(...) WG_BANNED(vsprintf, vsnprintf)
#undef gets
#define gets(...) WG_BANNED(gets, wg_file_read)

/* Hidden state shared by all callers. */
#undef strtok
#define strtok(...) WG_BANNED(strtok, strtok_r)
#undef gmtime
#define gmtime(...) WG_BANNED(gmtime, gmtime_r)
#undef localtime
#define localtime(...) WG_BANNED(localtime, localtime_r)
#undef asctime
#define asctime(...) WG_BANNED(asctime, strftime)
#undef ctime
#define ctime(...) WG_BANNED(ctime, strftime)
#undef strerror
#define strerror(...) WG_BANNED(strerror, wg_error_system)
#undef rand
#define rand(...) WG_BANNED(rand, a_seeded_generator)

/* No way to see an error, or a result that depends on the locale. */
#undef atoi
#define atoi(...) WG_BANNED(atoi, wg_integer_read)
#undef atol
#define atol(...) WG_BANNED(atol, wg_integer_read)
#undef atoll
#define atoll(...) WG_BANNED(atoll, wg_integer_read)
#undef atof
#define atof(...) WG_BANNED(atof, wg_number_read)
#undef strtod
#define strtod(...) WG_BANNED(strtod, wg_number_read)
#undef strtof
#define strtof(...) WG_BANNED(strtof, wg_number_read)
#undef scanf
#define scanf(...) WG_BANNED(scanf, wg_number_read)
#undef sscanf
#define sscanf(...) WG_BANNED(sscanf, wg_number_read)
#undef fscanf
#define fscanf(...) WG_BANNED(fscanf, wg_number_read)

/* A shell between us and the program. */
#undef system
#define system(...) WG_BANNED(system, posix_spawn)

#endif
