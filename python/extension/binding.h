// The Python extension: what its files share. C17 on the limited API of CPython 3.11.
//
// A struct of the engine is seen through an Object: a pointer and the Handle that owns the memory.
// An array field is a numpy array made once over a Block (an exporter of the buffer protocol that
// holds the Handle), and kept in the Object; Handles hold no Objects, so nothing goes in circles.
#ifndef SINEW_PYTHON_BINDING_H_
#define SINEW_PYTHON_BINDING_H_

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system.h"

// ---- tables (fields.inc)
typedef enum FieldKind_ {
  SCALAR,     // number in the struct
  INLINE,     // numbers in the struct
  STRING,     // characters in the struct
  STRINGS,    // rows of characters in the struct
  STRUCT,     // struct in the struct
  STRUCTS,    // array of structs in the struct
  POINTER,    // array of numbers
  CHARS,      // array of characters, as bytes
  LIST,       // array of structs
  REFERENCE,  // pointer to a struct of a spec
  TEXT,
  DOUBLES,
  FLOATS,
  INTS,
  TEXTS,
  BYTES,
  INTLISTS,
  FLOATLISTS  // containers of a spec
} FieldKind;

typedef enum Base_ { FIXED, MODEL, DATA, OWN, COUNTED } Base;  // what a dimension is read from

typedef struct Dim_ {
  int base;
  int offset;  // of an int in the struct that `base` names
  int factor;
} Dim;

struct Info_;
typedef struct Field_ {
  const char* name;
  FieldKind kind;
  char type;  // code of the buffer protocol
  int offset;
  int ndim;
  Dim dim[2];
  const struct Info_* nested;
  const char* members;  // of a number with names: its enum
} Field;

typedef struct Info_ {
  const char* name;
  int size;
  const Field* fields;
  int count;
  void (*make_default)(void*);
  int number;
  const char* doc;
  const char* docs;  // of the fields, each closed by zero: one pointer to relocate, not thousands
} Info;

#include "numbers.inc"

// ---- objects
typedef struct Handle_ {
  PyObject_HEAD void* p;
  void (*free)(void*);
  PyObject* keep;   // what must outlive it
  PyObject* extra;  // of a spec: a dict of what Python adds to it
} Handle;

typedef struct Seen_ {
  void* p;
  Py_ssize_t rows;
} Seen;

typedef struct Object_ {
  PyObject_HEAD void* p;
  PyObject* owner;  // Handle
  const Info* info;
  const mjModel* m;  // gives sizes of arrays: of the model itself and of data
  PyObject* model;   // of data: its model
  PyObject** cache;  // one per field
  Seen* seen;        // of data and scenes: what a cached array looks at
  PyObject* weak;
  PyObject** views;      // of models and data: named views by kind
  PyObject* registered;  // its key in the registry, kept so that leaving it needs no memory
} Object;

extern PyTypeObject* types[];  // by Info.number
extern PyObject* fatal_error;
extern PyObject* unexpected_error;
extern PyObject* numpy_asarray;
extern PyObject* numpy_contiguous;

const Info* info_of(int number);
bool objects_init(PyObject* module);
PyObject* handle_new(void* p, void (*release)(void*), PyObject* keep);
Object* object_new(PyTypeObject* type, const Info* info, void* p, PyObject* owner);
void object_register(Object* o);
PyObject* object_registered(const void* p);  // new reference, or NULL without an exception
// The numbers of a field whose size the model gives; NULL and AttributeError when there is none.
char* data_array(Object* data, const char* name, Py_ssize_t* bytes);
PyObject* object_field(Object* o, int index);  // as the attribute; new reference
PyObject* array_over(PyObject* owner, void* p, char type, int ndim, const Py_ssize_t* shape,
                     const Py_ssize_t* strides);  // numpy array; strides may be NULL
PyObject* array_make(PyObject* owner, void* p, char type, Py_ssize_t text, int ndim,
                     const Py_ssize_t* shape,
                     const Py_ssize_t* strides);  // the same; or of texts of so many characters
// array[...] = value; takes the reference. Errors name the field of what, and both arrays.
int array_assign(PyObject* array, PyObject* value, const char* of, const char* field);
void error_prefix(const char* of, const char* field);  // names a field in the exception that is set
PyObject* described(PyObject* value);  // for messages: an array by type and shape; new reference
// TypeError or ValueError "call: argument a: expected e, found ..."; returns false.
bool argument_refuse(PyObject* kind, const char* call, const char* argument, const char* expected,
                     PyObject* value);
void* argument_pointer(const char* call, const char* argument, PyObject* value, int number);
// The model and data that most calls begin with; false with an exception that names `call`.
bool argument_both(const char* call, PyObject* model, PyObject* data, mjModel** m, mjData** d);
// Confine reading on this thread while a model is loaded from `path` (NULL: from text). `option` is
// False, True for the folder of the path, or a folder. False: an exception is set.
bool confine_begin(const char* call, PyObject* option, const char* path, char before[4096]);
void confine_end(const char before[4096]);
extern PyMethodDef confine_methods[];
PyObject* scalar_get(const void* at, char type);
int scalar_set(void* at, char type, PyObject* value);
int chars_set(char* at, int room, PyObject* value, const char* name);
bool memory_init(void);

PyObject* list_new(PyObject* owner, void* p, Py_ssize_t count, Py_ssize_t step, const Info* info);
PyObject* list_that_moves(PyObject* owner, char** place, const int* number, const Info* info);
bool list_init(PyObject* module);
PyObject* struct_copy_of(int number, const void* source);
PyObject* text_or_none(const char* text);
Py_ssize_t type_size(char type);
void* object_pointer(PyObject* value, int number);  // NULL and TypeError when it is not one
PyObject* string_of(const char* text, Py_ssize_t room);
PyObject* repr_of(PyObject* title,
                  PyObject* fields);  // "<title", a line per field, ">"; takes both

// ---- calls
typedef enum { A_STRUCT, A_ARRAY, A_TEXT, A_REAL, A_WHOLE } ArgumentKind;
enum { OPTIONAL = 1, WRITES = 2 };

typedef struct Argument_ {
  ArgumentKind kind;
  int type;  // struct number or code of the buffer protocol
  int flags;
  int fixed;  // elements, when the header says so
  const char* name;
} Argument;

typedef struct Signature_ {
  const char* name;
  int count;
  const Argument* arguments;
} Signature;

enum { VALUE_LIST = 16 };

typedef struct Value_ {
  void* p;
  Py_ssize_t count, rows, columns;
  double real;
  long long whole;
  PyObject* held;    // bytes of a text, converted array
  Py_buffer buffer;  // buffer.obj is NULL when there is none
  double list[VALUE_LIST];
} Value;

bool arguments_read(const Signature* s, PyObject* const* a, Py_ssize_t n, PyObject* names,
                    Value* v);
bool argument_size(const Signature* s, Value* v, int i, Py_ssize_t expected);
bool argument_shape(const Signature* s, Value* v, int i, Py_ssize_t rows, Py_ssize_t columns);
PyObject* py_realloc_con_efc(PyObject* self, PyObject* const* a, Py_ssize_t n, PyObject* k);
// Rows of a sparse matrix lie in the arrays that hold it; with M added to it where `m` is given.
bool argument_rows(const Signature* s, Value* v, int rownnz, int rowadr, int colind,
                   const mjModel* m, const mjData* d);
bool argument_state(const Signature* s, Value* v, int i, Py_ssize_t expected);
Py_ssize_t state_size(const mjModel* m, unsigned spec);  // -1 and an exception: no such state
void arguments_release(const Signature* s, Value* v);

// mju_error inside the guarded call comes back through SYSTEM_SETJMP(g.place) and becomes FatalError; an
// exception of a Python callback comes back as itself. The stack of `d` is as it was before.
typedef struct Guard_ {
  jmp_buf place;
  struct Guard_* outer;
  void (*handler)(const char*);
  mjData* d;
  const struct snDualTape_* tape;  // of a derivative around this call
  bool empty_stack;
  bool failed;
  bool raised;  // an exception is set in the thread state
  bool quiet;   // errors become text: nothing waits for an exception
  PyThreadState* thread;
  struct Guard_* running;  // the next call that runs without the lock of the interpreter
  unsigned long owner;     // and the thread of this one
  char text[1024];
} Guard;

// Does no other thread work in the data? Otherwise an exception is set.
bool data_idle(const char* function, const mjData* d);

void guard_enter(Guard* g, mjData* d, int release);
bool guard_leave(Guard* g);        // false: an exception is set
bool guard_leave_quiet(Guard* g);  // false: g->text says why; for threads without Python
bool guard_is_quiet(void);
_Noreturn void guard_raise(void);  // from a callback with an exception set

extern PyMethodDef call_methods[];
extern PyMethodDef callback_methods[];
extern PyMethodDef pool_methods[];
extern PyMethodDef picture_methods[];
extern PyMethodDef solver_methods[];
extern PyMethodDef hold_methods[];
extern PyMethodDef derive_methods[];
extern PyMethodDef control_methods[];
extern PyMethodDef model_methods[];
extern PyMethodDef data_methods[];
bool named_init(PyObject* module);
PyMethodDef* named_methods(bool data);
enum { VIEW_KINDS = 64 };  // room for kinds of named views
bool models_init(PyObject* module);
int model_construct(PyObject* self, PyObject* args, PyObject* kwargs);
int data_construct(PyObject* self, PyObject* args, PyObject* kwargs);
Object* model_wrap(mjModel* m);                               // takes the model
PyObject* struct_wrap(int number, void* p, PyObject* owner);  // None when p is NULL
bool spec_is_deleted(const Object* o);
PyObject* characters_new(PyObject* owner, char* p, int room);
bool spec_fields_init(PyObject* module);
bool spec_init(PyObject* module);
int spec_construct(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* spec_field(Object* o, const Field* f);  // of the kinds from REFERENCE on
int spec_field_set(Object* o, const Field* f, PyObject* value);
PyObject* py_spec_is_vector(PyObject* self, PyObject* args);
// The text of a string; otherwise NULL, and TypeError that names the field.
const char* text_of(PyObject* value, const char* of, const char* name);

#endif
