//go:build ignore

// Programs that note, for the threads of some processes, how long each was off the CPU and where
// its own code was then: at a switch the stack of who leaves is taken, as frame pointers tell it,
// and handed on when the thread is back. They sit on BTF raw tracepoints only.
//
// The structures of the kernel are named only as far as they are read: the loader finds where
// their fields are in the running kernel (CO-RE).

typedef unsigned char u8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define KERNEL __attribute__((preserve_access_index))
#define exists(field) __builtin_preserve_field_info(field, 2)
#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name

enum { HASH = 1, RINGBUF = 27 };

static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(void *map, const void *key) = (void *)3;
static u64 (*now)(void) = (void *)5;
static long (*get_stack)(void *ctx, void *buf, u32 size, u64 flags) = (void *)67;
static long (*ring_output)(void *ring, void *data, u64 size, u64 flags) = (void *)130;

struct task_struct { int pid, tgid; } KERNEL;
struct pt_regs { unsigned long orig_ax; } KERNEL;
struct pt_regs___arm64 { s32 syscallno; } KERNEL;

static struct pt_regs *(*task_regs)(struct task_struct *task) = (void *)175;

enum { MAX_PIDS = 1 << 22, DEPTH = 48, USER_STACK = 256, NO_WAKEUP = 1 };
enum { PREEMPTED = 1 << 30 }; // in a stretch's state, in place of the task's

// A stretch of time off the CPU, as stretch in switches_linux.go.
struct stretch {
	u64 from, to; // CLOCK_MONOTONIC, ns; from is 0 of a thread that isn't off
	u64 woken;    // since when it could run; 0 if that isn't known
	u32 tid, tgid;
	u32 state; // the task's
	s16 call;  // number of the system call, -1 if in none
	u16 depth;
	u64 stack[DEPTH]; // from the innermost out
};

u8 watched[MAX_PIDS]; // processes whose threads are followed
volatile u64 lost = 0; // stretches that there was no room for

static const struct stretch none = {};

// Threads that are off, and those that were.
struct {
	__uint(type, HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct stretch);
} threads SEC(".maps");

struct {
	__uint(type, RINGBUF);
	__uint(max_entries, 16 << 20);
} ended SEC(".maps");

INLINE _Bool watches(u32 tgid) { return watched[tgid & (MAX_PIDS - 1)]; }

INLINE s16 call_of(struct task_struct *t)
{
	struct pt_regs *r = task_regs(t);
	struct pt_regs___arm64 *arm = (void *)r;
	if (exists(arm->syscallno))
		return arm->syscallno;
	if (exists(r->orig_ax))
		return r->orig_ax;
	return -1;
}

INLINE void leaves(u64 *ctx, struct task_struct *t)
{
	u32 tid = t->pid;
	struct stretch *s = map_lookup(&threads, &tid);
	if (!s) {
		map_update(&threads, &tid, &none, 0);
		s = map_lookup(&threads, &tid);
	}
	if (!s) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	u32 state = (u32)ctx[3];
	s->tid = tid;
	s->tgid = t->tgid;
	s->state = ctx[0] || !state ? PREEMPTED : state & 0xffff;
	s->call = call_of(t);
	long size = get_stack(ctx, s->stack, sizeof s->stack, USER_STACK); // of the one that runs, which is still this
	s->depth = size > 0 ? (u32)size / 8 : 0;
	s->from = now();
	s->woken = s->state == PREEMPTED ? s->from : 0;
}

SEC("tp_btf/sched_switch")
int on_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	if (watches(next->tgid)) {
		u32 tid = next->pid;
		struct stretch *s = map_lookup(&threads, &tid);
		if (s && s->from) {
			s->to = now();
			if (ring_output(&ended, s, sizeof *s, NO_WAKEUP))
				__sync_fetch_and_add(&lost, 1);
			s->from = 0;
		}
	}
	if (watches(prev->tgid))
		leaves(ctx, prev);
	return 0;
}

SEC("tp_btf/sched_waking")
int on_waking(u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	u32 tid = t->pid;
	if (!watches(t->tgid))
		return 0;
	struct stretch *s = map_lookup(&threads, &tid);
	if (s && s->from && !s->woken)
		s->woken = now();
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	if (watches(parent->tgid))
		watched[child->tgid & (MAX_PIDS - 1)] = 1;
	return 0;
}

SEC("tp_btf/sched_process_free")
int on_free(u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	u32 tid = t->pid;
	if (!watches(t->tgid))
		return 0;
	map_delete(&threads, &tid);
	if (t->pid == t->tgid)
		watched[t->tgid & (MAX_PIDS - 1)] = 0; // the number may be another's soon
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
