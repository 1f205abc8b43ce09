/* The calling thread's own structure: nothing in it is shared, so its address is not followed. */
unsigned long modelled_thread_pointer(void);
#define __get_tp() modelled_thread_pointer()
#define MC_PC gregs[REG_RIP]
