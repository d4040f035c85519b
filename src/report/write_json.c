/* The data tree as one JSON document. */
#include "report/document.h"
#include "whichgpu/json.h"

/* Depth is that of the command's own code, never of input, so recursion ends;
 * the JSON writer asserts its bound of 64. */
static void node_write(struct wg_json_writer *writer, const struct wg_node *node)
{
	switch (node->kind) {
	case NODE_OBJECT:
		wg_json_begin_object(writer, node->key);
		for (const struct wg_node *child = node->first; child; child = child->next)
			node_write(writer, child);
		wg_json_end_object(writer);
		break;
	case NODE_ARRAY:
		wg_json_begin_array(writer, node->key);
		for (const struct wg_node *child = node->first; child; child = child->next)
			node_write(writer, child);
		wg_json_end_array(writer);
		break;
	case NODE_NUMBER:
		wg_json_put_number(writer, node->key, node->value.number);
		break;
	case NODE_INTEGER:
		wg_json_put_integer(writer, node->key, node->value.integer);
		break;
	case NODE_STRING:
		wg_json_put_string(writer, node->key, node->value.string);
		break;
	case NODE_BOOL:
		wg_json_put_bool(writer, node->key, node->value.boolean);
		break;
	case NODE_NULL:
		wg_json_put_null(writer, node->key);
		break;
	}
}

void wg_write_json(const struct wg_document *document, struct wg_text *out)
{
	struct wg_json_writer writer;

	wg_json_writer_init(&writer, out, true);
	node_write(&writer, document->data);
	wg_text_add_char(out, '\n');
}
