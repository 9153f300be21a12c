# file_bytes(PATH BYTES SIZE): a file as the elements of a C array: any C compiler takes them.
function(file_bytes path bytes size)
  file(READ ${path} hex HEX)
  file(SIZE ${path} length)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," list "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n  " list "${list}")
  set(${bytes} "${list}" PARENT_SCOPE)
  set(${size} ${length} PARENT_SCOPE)
endfunction()
