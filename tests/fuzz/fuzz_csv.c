/* A CSV table; every cell that it says it has can be asked for. */
#include "fuzz.h"

#include "whichgpu/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_csv *csv = NULL;
	struct wg_error error;
	bool present;
	double value;

	wg_error_init(&error);
	enum wg_status status = wg_csv_open((const char *)data, size, "fuzz", &csv, &error);
	check_error(status, &error);
	if (status != WG_OK)
		return 0;
	for (size_t row = 0; row < wg_csv_row_count(csv); row++)
		for (size_t column = 0; column < wg_csv_column_count(csv); column++) {
			if (strlen(wg_csv_cell(csv, row, (long)column)) > size)
				abort();
			status = wg_csv_number(csv, row, (long)column, &present, &value, &error);
			check_error(status, &error);
		}
	wg_csv_free(csv);
	return 0;
}
