// A user interface drawn with OpenGL.
#ifndef MUJOCO_MJUI_H_
#define MUJOCO_MJUI_H_

#include <mujoco/mjrender.h>

#define mjMAXUISECT     10   // sections
#define mjMAXUIITEM     200  // items of a section
#define mjMAXUITEXT     300  // characters of text
#define mjMAXUINAME     40   // characters of a name
#define mjMAXUIMULTI    35   // choices of an item
#define mjMAXUIEDIT     7    // fields of an edit item
#define mjMAXUIRECT     25   // rectangles

#define mjSEPCLOSED     1000  // state of a closed separator
#define mjPRESERVE      2000  // state that is kept

#define mjKEY_ESCAPE     256  // escape
#define mjKEY_ENTER      257  // enter
#define mjKEY_TAB        258  // tab
#define mjKEY_BACKSPACE  259  // backspace
#define mjKEY_INSERT     260  // insert
#define mjKEY_DELETE     261  // delete
#define mjKEY_RIGHT      262  // right
#define mjKEY_LEFT       263  // left
#define mjKEY_DOWN       264  // down
#define mjKEY_UP         265  // up
#define mjKEY_PAGE_UP    266  // page up
#define mjKEY_PAGE_DOWN  267  // page down
#define mjKEY_HOME       268  // home
#define mjKEY_END        269  // end
#define mjKEY_F1         290  // f1
#define mjKEY_F2         291  // f2
#define mjKEY_F3         292  // f3
#define mjKEY_F4         293  // f4
#define mjKEY_F5         294  // f5
#define mjKEY_F6         295  // f6
#define mjKEY_F7         296  // f7
#define mjKEY_F8         297  // f8
#define mjKEY_F9         298  // f9
#define mjKEY_F10        299  // f10
#define mjKEY_F11        300  // f11
#define mjKEY_F12        301  // f12
#define mjKEY_NUMPAD_0   320  // numpad 0
#define mjKEY_NUMPAD_9   329  // numpad 9

typedef enum mjtButton_ {  // buttons of the mouse
  mjBUTTON_NONE = 0,  // none
  mjBUTTON_LEFT,      // left
  mjBUTTON_RIGHT,     // right
  mjBUTTON_MIDDLE     // middle
} mjtButton;

typedef enum mjtEvent_ {  // kinds of event
  mjEVENT_NONE = 0,  // none
  mjEVENT_MOVE,      // the mouse has moved
  mjEVENT_PRESS,     // button goes down
  mjEVENT_RELEASE,   // button goes up
  mjEVENT_SCROLL,    // wheel turns
  mjEVENT_KEY,       // key goes down
  mjEVENT_RESIZE,    // window changes size
  mjEVENT_REDRAW,    // window wants to be drawn
  mjEVENT_FILESDROP  // files are dropped
} mjtEvent;

typedef enum mjtItem_ {  // kinds of item
  mjITEM_END = -2,       // end of a list
  mjITEM_SECTION = -1,   // section
  mjITEM_SEPARATOR = 0,  // heading between items
  mjITEM_STATIC,         // text
  mjITEM_BUTTON,         // something to press

  mjITEM_CHECKINT,   // check box of an int
  mjITEM_CHECKBYTE,  // check box of a byte
  mjITEM_RADIO,      // choice, one below the other
  mjITEM_RADIOLINE,  // choice in one line
  mjITEM_SELECT,     // choice that opens
  mjITEM_SLIDERINT,  // slider of an int
  mjITEM_SLIDERNUM,  // slider of an mjtNum
  mjITEM_EDITINT,    // field of ints
  mjITEM_EDITNUM,    // field of mjtNums
  mjITEM_EDITFLOAT,  // field of floats
  mjITEM_EDITTXT,    // field of text

  mjNITEM  // number of kinds
} mjtItem;

typedef enum mjtSection_ {  // state of a section
  mjSECT_CLOSED = 0,  // closed
  mjSECT_OPEN,        // open
  mjSECT_FIXED        // open, cannot close
} mjtSection;

// says whether items of a category are enabled
typedef int (*mjfItemEnable)(int category, void* data);

struct mjuiState_ {  // what the user does
  int nrect;                  // rectangles
  mjrRect rect[mjMAXUIRECT];  // rectangles of the window
  void* userdata;             // what the predicate gets

  int type;  // kind

  int left;           // 1: the left button is held
  int right;          // 1: the right button is held
  int middle;         // 1: the middle button is held
  int doubleclick;    // last press was double
  int button;         // button of the last press (mjtButton)
  double buttontime;  // time of the last press

  double x;   // mouse x
  double y;   // mouse y
  double dx;  // change of x
  double dy;  // change of y
  double sx;  // scroll in x
  double sy;  // scroll in y

  int control;     // control is down
  int shift;       // shift is down
  int alt;         // alt is down
  int key;         // key of the last press
  double keytime;  // time of the last key

  int mouserect;   // rectangle under the mouse
  int dragrect;    // rectangle dragged from
  int dragbutton;  // button that a drag began with (mjtButton)

  int dropcount;           // files dropped
  const char** droppaths;  // paths of dropped files
};
typedef struct mjuiState_ mjuiState;

struct mjuiThemeSpacing_ {  // spacing (pixels)
  int total;       // whole width
  int scroll;      // scroll bar, or its place
  int label;       // label
  int section;     // between sections
  int cornersect;  // corner of a section
  int cornersep;   // corner of a separator
  int itemside;    // beside items
  int itemmid;     // between columns
  int itemver;     // between rows
  int texthor;     // beside text
  int textver;     // above and below text
  int linescroll;  // lines per turn of the wheel
  int samples;     // samples per pixel
};
typedef struct mjuiThemeSpacing_ mjuiThemeSpacing;

struct mjuiThemeColor_ {  // colours
  float master[3];             // background
  float thumb[3];              // thumb of the scroll bar
  float secttitle[3];          // title of a section, its upper part
  float secttitle2[3];         // title of a section, its lower part
  float secttitleuncheck[3];   // unchecked section title
  float secttitleuncheck2[3];  // unchecked section title, bottom
  float secttitlecheck[3];     // checked section title
  float secttitlecheck2[3];    // checked section title, bottom
  float sectfont[3];           // text of a section title
  float sectsymbol[3];         // symbol of a section title
  float sectpane[3];           // pane of a section
  float separator[3];          // separator
  float separator2[3];         // separator, bottom
  float shortcut[3];           // shortcut
  float fontactive[3];         // text of an enabled item
  float fontinactive[3];       // text of a disabled item
  float decorinactive[3];      // decoration of a disabled item
  float decorinactive2[3];     // decoration of a disabled item, second
  float button[3];             // ground of a button
  float check[3];              // check box
  float radio[3];              // choice
  float select[3];             // choice that opens
  float select2[3];            // the same, open
  float slider[3];             // ground of a slider
  float slider2[3];            // slider, second
  float edit[3];               // field
  float edit2[3];              // field with a mistake
  float cursor[3];             // cursor
};
typedef struct mjuiThemeColor_ mjuiThemeColor;

struct mjuiItemSingle_ {  // settings of a check box or button
  int modifier;  // key held with the shortcut: 0 none, 1 control, 2 shift, 4 alt
  int shortcut;  // shortcut
};

struct mjuiItemMulti_ {  // settings of a choice
  int nelem;                             // elements
  char name[mjMAXUIMULTI][mjMAXUINAME];  // name
};

struct mjuiItemSlider_ {  // settings of a slider
  double range[2];   // range
  double divisions;  // steps of the slider
};

struct mjuiItemEdit_ {  // settings of a field
  int nelem;                     // elements
  double range[mjMAXUIEDIT][2];  // range
};

struct mjuiItem_ {  // item
  int type;                // kind
  char name[mjMAXUINAME];  // text beside it
  int state;               // can it be used: 0 no, 1 yes, 2 and up: the predicate says
  void *pdata;             // data it shows
  int sectionid;           // its section
  int itemid;              // its place
  int userid;              // number for the user

  union {
    struct mjuiItemSingle_ single;  // check box or button
    struct mjuiItemMulti_ multi;    // choice
    struct mjuiItemSlider_ slider;  // range of a slider
    struct mjuiItemEdit_ edit;      // field
  };

  mjrRect rect;  // rectangles of the window
  int skip;      // is inside a closed separator
};
typedef struct mjuiItem_ mjuiItem;

struct mjuiSection_ {  // a part of an interface under one title
  char name[mjMAXUINAME];      // text of its title
  int state;                   // 0: disabled, 1: enabled, 2 and up: ask the predicate
  int modifier;                // key held with the shortcut: 0 none, 1 control, 2 shift, 4 alt
  int shortcut;                // shortcut
  int checkbox;                // box in its title: 0 none, 1 open, 2 ticked
  int nitem;                   // items
  mjuiItem item[mjMAXUIITEM];  // items

  mjrRect rtitle;    // rectangle of the title
  mjrRect rcontent;  // rectangle of the content
  int lastclick;     // time of the last click
};
typedef struct mjuiSection_ mjuiSection;

struct mjUI_ {  // user interface
  mjuiThemeSpacing spacing;  // spacing
  mjuiThemeColor color;      // colours
  mjfItemEnable predicate;   // says which items are enabled
  void* userdata;            // what the predicate gets
  int rectid;                // rectangle of this interface
  int auxid;                 // auxiliary buffer of this interface
  int radiocol;              // columns of choices; 0: two

  int width;      // width of the whole (pixels)
  int height;     // height
  int maxheight;  // height if every section were open (pixels)
  int scroll;     // scroll bar, or its place

  int mousesect;       // section under the mouse, from 1; 0: none
  int mouseitem;       // item under the mouse
  int mousehelp;       // help is shown
  int mouseclicks;     // clicks so far
  int mousesectcheck;  // section whose check box is under the mouse

  int editsect;                // section being edited, from 1; 0: none
  int edititem;                // item being edited
  int editcursor;              // place of the cursor
  int editscroll;              // first character shown
  char edittext[mjMAXUITEXT];  // text being edited
  mjuiItem* editchanged;       // item changed by the last edit; NULL: none

  int nsect;                      // sections
  mjuiSection sect[mjMAXUISECT];  // sections
};
typedef struct mjUI_ mjUI;

struct mjuiDef_ {  // row of a table that defines an interface
  int type;                 // kind
  char name[mjMAXUINAME];   // text beside the item
  int state;                // 0: disabled, 1: enabled, 2 and up: ask the predicate
  void* pdata;              // data it shows
  char other[mjMAXUITEXT];  // choices, range or shortcut, by kind
  int otherint;             // state of a section's check box
};
typedef struct mjuiDef_ mjuiDef;

#endif
