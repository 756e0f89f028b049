//go:build ignore

// Programs that note, for a server's threads and sockets, what happened and when. They sit on
// BTF raw tracepoints only, which every kernel with BTF has, also one without kprobes. Events
// go into a ring per CPU that overwrites itself; nothing is sent anywhere. Whoever wants to
// know about a request reads the rings for its time.
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

enum { ARRAY = 2, LRU_HASH = 9, MMAPABLE = 1 << 10 };

static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*now)(void) = (void *)5;
static u32 (*cpu_id)(void) = (void *)8;
static u64 (*pid_tgid)(void) = (void *)14;
static long (*current_comm)(void *buf, u32 size) = (void *)16;
static long (*get_stack)(void *ctx, void *buf, u32 size, u64 flags) = (void *)67;

struct in6 { u32 part[4]; };
struct sock_common {
	u32 skc_daddr, skc_rcv_saddr;
	u16 skc_dport, skc_num; // of the peer in network order, of this side in host order
	u16 skc_family;
	volatile u8 skc_state;
	struct in6 skc_v6_daddr, skc_v6_rcv_saddr;
} KERNEL;
struct socket;
struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	int sk_wmem_queued;
	u16 sk_protocol;
} KERNEL;
struct tcp_sock { u32 snd_wnd, snd_una, snd_nxt, write_seq, rcv_nxt, copied_seq; } KERNEL;
struct cfs_rq { int throttle_count; } KERNEL;
struct sched_entity { struct cfs_rq *cfs_rq; } KERNEL;
struct task_struct {
	int pid, tgid;
	char comm[16];
	unsigned long min_flt, maj_flt;
	struct sched_entity se;
	_Bool throttled;
} KERNEL;
struct pt_regs { unsigned long orig_ax, di, r14; } KERNEL;
struct pt_regs___arm64 { u64 regs[31]; s32 syscallno; } KERNEL;

static struct tcp_sock *(*to_tcp)(const void *sk) = (void *)137;
static struct task_struct *(*current_task)(void) = (void *)158;
static struct pt_regs *(*task_regs)(struct task_struct *task) = (void *)175;

// What event.go knows as Kind.
enum {
	SWITCH_OUT = 1, SWITCH_IN, WAKING,
	READY, RECEIVED, SENT, STATE, RETRANSMIT, CLIENT_READY,
	UPSTREAM_SENT, UPSTREAM_READY, UPSTREAM_RECEIVED, UPSTREAM_STATE,
	LEARNT, TICK, STALL = 18,
};
enum { TICK_USER = 1, TICK_KERNEL, TICK_FAULT, TICK_INTERRUPT }; // in a TICK's a
enum { PREEMPTED = 1 << 30, THROTTLED = 1 << 29 }; // in a SWITCH_OUT's a, above the task's state; THROTTLED also in a WAKING's

// An event as event.go reads it: 64 bytes.
struct event {
	u64 seq;    // its number in its ring, from 1; written last, 0 while the rest is
	u64 time;   // CLOCK_MONOTONIC, ns
	u64 subject; // connection, or socket of an upstream; of a SWITCH_OUT the system call's first argument
	u32 tid, tgid;
	u32 faults; // page faults of the thread so far
	u16 kind;
	s16 call;   // number of the system call, -1 if in none
	u32 a, b;
	union { char comm[16]; u32 part[4]; };
};

enum { MAX_CPUS = 512, MAX_PIDS = 1 << 22 };

struct { u64 n, pad[7]; } heads[MAX_CPUS]; // events so far in the ring of each CPU
u8 watched[MAX_PIDS];                      // processes whose threads are followed
struct { u64 at, grid, pad[6]; } clocks[MAX_CPUS]; // when the clock of each CPU ticked last, and did so on time; 0: it hasn't
volatile u32 enabled = 1;
volatile u32 mask = 0;                     // connections are left out whose hash has one of these bits

const volatile u32 ring = 1024;            // events of a CPU's ring, a power of two
const volatile u16 port = 0;               // where the server listens
const volatile u32 generator = 0;          // a process whose threads are followed, and that is never taken for the server
const volatile u64 tick_every = 1000000;   // ns between two ticks of a CPU's clock
const volatile u64 fault_from = 0, fault_to = 0;         // the kernel's code that handles page faults; 0: unknown
const volatile u64 interrupt_from = 0, interrupt_to = 0; // and soft interrupts

struct {
	__uint(type, ARRAY);
	__uint(map_flags, MMAPABLE);
	__uint(max_entries, 1024); // set by the loader: ring for each CPU
	__type(key, u32);
	__type(value, struct event);
} events SEC(".maps");

// Sockets that watched processes have to others, by address.
struct {
	__uint(type, LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, u32);
} others SEC(".maps");

INLINE _Bool watches(u32 tgid) { return watched[tgid & (MAX_PIDS - 1)]; }
INLINE _Bool follows(u32 tgid) { return watches(tgid) || tgid == generator; }

// Takes the next place of this CPU's ring. An interrupt that does so too meanwhile gets another.
INLINE struct event *begin(u16 kind, u64 *seq)
{
	u32 cpu = cpu_id();
	if (cpu >= MAX_CPUS)
		return 0;
	u64 i = __sync_fetch_and_add(&heads[cpu].n, 1);
	u32 place = cpu * ring + (i & (ring - 1));
	struct event *e = map_lookup(&events, &place);
	if (!e)
		return 0;
	__sync_lock_test_and_set(&e->seq, 0); // a full barrier on each architecture
	*seq = i + 1;
	e->time = now();
	e->kind = kind;
	e->call = -1;
	e->faults = 0;
	return e;
}

INLINE void commit(struct event *e, u64 seq)
{
	__sync_lock_test_and_set(&e->seq, seq);
}

INLINE void by_current(struct event *e)
{
	u64 id = pid_tgid();
	struct task_struct *t = current_task();
	e->tid = id;
	e->tgid = id >> 32;
	e->faults = t->min_flt + t->maj_flt;
}

INLINE u16 swapped(u16 x) { return (u16)(x << 8 | x >> 8); }
INLINE _Bool is_inet(const struct sock *sk) { return sk->__sk_common.skc_family == 2 || sk->__sk_common.skc_family == 10; }
INLINE _Bool of_server(const struct sock *sk) { return is_inet(sk) && sk->__sk_common.skc_num == port; }
INLINE _Bool of_client(const struct sock *sk) { return is_inet(sk) && sk->__sk_common.skc_dport == swapped(port); }

// The client's address and port, which name a connection to the server.
INLINE u64 connection(const struct sock *sk, _Bool at_server)
{
	u32 address;
	u16 number = at_server ? swapped(sk->__sk_common.skc_dport) : sk->__sk_common.skc_num;
	if (sk->__sk_common.skc_family == 10)
		address = at_server ? sk->__sk_common.skc_v6_daddr.part[3] : sk->__sk_common.skc_v6_rcv_saddr.part[3];
	else
		address = at_server ? sk->__sk_common.skc_daddr : sk->__sk_common.skc_rcv_saddr;
	return (u64)address << 16 | number;
}

INLINE _Bool left_out(u64 conn) { return (conn * 0x9E3779B97F4A7C15ull >> 56) & mask; }

// How many bytes the server has not read.
INLINE u32 unread(const struct sock *sk)
{
	const struct tcp_sock *tp = to_tcp(sk);
	return tp ? tp->rcv_nxt - tp->copied_seq : 0;
}

INLINE void peer(struct event *e, const struct sock *sk)
{
	e->b = swapped(sk->__sk_common.skc_dport) | (u32)(sk->__sk_common.skc_family & 0xff) << 16 | (u32)(sk->sk_protocol & 0xff) << 24;
	if (sk->__sk_common.skc_family == 10) {
		e->part[0] = sk->__sk_common.skc_v6_daddr.part[0];
		e->part[1] = sk->__sk_common.skc_v6_daddr.part[1];
		e->part[2] = sk->__sk_common.skc_v6_daddr.part[2];
		e->part[3] = sk->__sk_common.skc_v6_daddr.part[3];
	} else {
		e->part[0] = sk->__sk_common.skc_daddr;
		e->part[1] = e->part[2] = e->part[3] = 0;
	}
}

// Threads.

INLINE _Bool is_throttled(struct task_struct *t)
{
	if (exists(t->throttled) && t->throttled)
		return 1;
	return exists(t->se.cfs_rq) && exists(t->se.cfs_rq->throttle_count) && t->se.cfs_rq->throttle_count > 0;
}

INLINE void in_call(struct event *e, struct task_struct *t)
{
	struct pt_regs *r = task_regs(t);
	struct pt_regs___arm64 *arm = (void *)r;
	if (exists(arm->syscallno)) {
		e->call = arm->syscallno;
		e->subject = arm->regs[0];
	} else if (exists(r->orig_ax)) {
		e->call = r->orig_ax;
		e->subject = r->di;
	}
}

// The register in which Go keeps the goroutine that runs, also while in a system call.
INLINE u64 goroutine(void)
{
	struct pt_regs *r = task_regs(current_task());
	struct pt_regs___arm64 *arm = (void *)r;
	if (exists(arm->syscallno))
		return arm->regs[28];
	if (exists(r->r14))
		return r->r14;
	return 0;
}

INLINE void copy_comm(struct event *e, struct task_struct *t)
{
	u64 *to = (u64 *)e->comm, *from = (u64 *)t->comm;
	to[0] = from[0];
	to[1] = from[1];
}

SEC("tp_btf/sched_switch")
int on_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u64 seq;
	if (!enabled)
		return 0;
	if (follows(prev->tgid)) {
		struct event *e = begin(SWITCH_OUT, &seq);
		if (e) {
			e->tid = prev->pid;
			e->tgid = prev->tgid;
			e->faults = prev->min_flt + prev->maj_flt;
			in_call(e, prev);
			u32 state = (u32)ctx[3];
			e->a = ctx[0] || !state ? PREEMPTED : state & 0xffff;
			if (is_throttled(prev))
				e->a |= THROTTLED;
			e->b = next->pid;
			copy_comm(e, next);
			commit(e, seq);
		}
	}
	if (follows(next->tgid)) {
		struct event *e = begin(SWITCH_IN, &seq);
		if (e) {
			e->tid = next->pid;
			e->tgid = next->tgid;
			e->faults = next->min_flt + next->maj_flt;
			e->a = cpu_id();
			e->b = prev->pid;
			copy_comm(e, prev);
			commit(e, seq);
		}
	}
	return 0;
}

INLINE int woken(struct task_struct *t)
{
	u64 seq;
	if (!enabled || !follows(t->tgid))
		return 0;
	struct event *e = begin(WAKING, &seq);
	if (!e)
		return 0;
	u64 by = pid_tgid();
	e->tid = t->pid;
	e->tgid = t->tgid;
	e->a = is_throttled(t) ? THROTTLED : 0;
	e->b = by;
	current_comm(e->comm, sizeof e->comm);
	commit(e, seq);
	return 0;
}

SEC("tp_btf/sched_waking")
int on_waking(u64 *ctx) { return woken((void *)ctx[0]); }

SEC("tp_btf/sched_wakeup_new")
int on_wakeup_new(u64 *ctx) { return woken((void *)ctx[0]); }

SEC("tp_btf/sched_process_fork")
int on_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	if (watches(parent->tgid))
		watched[child->tgid & (MAX_PIDS - 1)] = 1;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_exit(u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	if (t->pid == t->tgid && watches(t->tgid))
		watched[t->tgid & (MAX_PIDS - 1)] = 0; // the number may be another's soon
	return 0;
}

// How late a clock may tick, in ns, without that telling anything.
enum { PUNCTUAL = 80000 };

// Notes that the CPU stood still since its clock ought to have ticked. It ticks on a grid: a tick
// that is late is off it and the next is on it again. Some ticks are lost without the CPU's standing
// still, and those after them are on the grid too.
INLINE void stall(void)
{
	u32 cpu = cpu_id();
	u64 seq, at = now(), before, phase;
	if (cpu >= MAX_CPUS)
		return;
	before = clocks[cpu].at;
	clocks[cpu].at = at;
	if (!before || at < before + tick_every + PUNCTUAL) {
		clocks[cpu].grid = at;
		return;
	}
	phase = (at - clocks[cpu].grid) % tick_every;
	if (phase < PUNCTUAL || phase > tick_every - PUNCTUAL) {
		clocks[cpu].grid = at;
		return;
	}
	struct event *e = begin(STALL, &seq);
	if (!e)
		return;
	u64 late = at - before - tick_every;
	e->tid = e->tgid = 0;
	e->subject = 0;
	e->a = cpu;
	e->b = late > 0xffffffff ? 0xffffffff : late;
	commit(e, seq);
}

// What a thread is at that runs when a CPU's clock ticks.
SEC("perf_event")
int on_tick(void *ctx)
{
	enum { DEPTH = 24, USER_STACK = 256 };
	u64 stack[DEPTH], seq;
	struct task_struct *t = current_task();
	if (!enabled)
		return 0;
	stall();
	if (!watches(t->tgid))
		return 0;
	long size = get_stack(ctx, stack, sizeof stack, 0); // the kernel's; none if it wasn't in the kernel
	struct event *e = begin(TICK, &seq);
	if (!e)
		return 0;
	by_current(e);
	in_call(e, t);
	e->a = size > 0 ? TICK_KERNEL : TICK_USER;
	for (int i = 0; i < DEPTH; i++) {
		if (size < (i + 1) * 8)
			break;
		u64 at = stack[i];
		if (at >= interrupt_from && at < interrupt_to) {
			e->a = TICK_INTERRUPT; // whatever it interrupted
			break;
		}
		if (at >= fault_from && at < fault_to) {
			e->a = TICK_FAULT;
			break;
		}
	}
	// Where its own code was, and what called that, as far as frame pointers tell.
	stack[0] = stack[1] = stack[2] = 0;
	size = get_stack(ctx, stack, 3 * 8, USER_STACK);
	e->subject = size >= 8 ? stack[0] : 0;
	*(u64 *)&e->part[0] = size >= 16 ? stack[1] : 0;
	*(u64 *)&e->part[2] = size >= 24 ? stack[2] : 0;
	e->b = 0;
	commit(e, seq);
	return 0;
}

// Sockets.

SEC("tp_btf/sk_data_ready")
int on_ready(u64 *ctx)
{
	const struct sock *sk = (void *)ctx[0];
	u64 seq, subject = (u64)sk;
	u16 kind;
	if (!enabled)
		return 0;
	if (of_server(sk)) {
		if (sk->__sk_common.skc_state == 10) // a listener
			return 0;
		kind = READY;
		subject = connection(sk, 1);
		if (left_out(subject))
			return 0;
	} else if (of_client(sk)) {
		kind = CLIENT_READY;
		subject = connection(sk, 0);
		if (left_out(subject))
			return 0;
	} else {
		if (!map_lookup(&others, &subject))
			return 0;
		kind = UPSTREAM_READY;
	}
	struct event *e = begin(kind, &seq);
	if (!e)
		return 0;
	e->subject = subject;
	e->tid = e->tgid = 0;
	e->a = sk->sk_socket != 0; // accepted
	e->b = kind == READY ? unread(sk) : 0;
	commit(e, seq);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int on_received(u64 *ctx)
{
	const struct sock *sk = (void *)ctx[0];
	s32 n = (s32)ctx[1];
	u32 tgid = pid_tgid() >> 32;
	u64 seq, subject = (u64)sk;
	if (!enabled || n < 0 || (s32)ctx[2] & 2) // nothing there, or only peeked at
		return 0;
	_Bool serves = of_server(sk);
	if (serves) {
		if (tgid != generator && !watches(tgid)) {
			watched[tgid & (MAX_PIDS - 1)] = 1;
			struct event *e = begin(LEARNT, &seq);
			if (e) {
				by_current(e);
				current_comm(e->comm, sizeof e->comm);
				commit(e, seq);
			}
		}
		subject = connection(sk, 1);
		if (left_out(subject))
			return 0;
	} else if (!watches(tgid) || !(is_inet(sk) || sk->__sk_common.skc_family == 1)) {
		return 0;
	}
	struct event *e = begin(serves ? RECEIVED : UPSTREAM_RECEIVED, &seq);
	if (!e)
		return 0;
	by_current(e);
	e->subject = subject;
	e->a = n;
	if (serves) {
		e->b = unread(sk);
		*(u64 *)e->part = goroutine();
		e->part[2] = e->part[3] = 0;
	} else {
		peer(e, sk);
	}
	commit(e, seq);
	return 0;
}

SEC("tp_btf/sock_send_length")
int on_sent(u64 *ctx)
{
	const struct sock *sk = (void *)ctx[0];
	s32 n = (s32)ctx[1];
	u32 tgid = pid_tgid() >> 32;
	u64 seq, subject = (u64)sk;
	if (!enabled)
		return 0;
	_Bool serves = of_server(sk);
	if (serves) {
		subject = connection(sk, 1);
		if (left_out(subject))
			return 0;
	} else {
		if (!watches(tgid) || n < 0 || !(is_inet(sk) || sk->__sk_common.skc_family == 1))
			return 0;
		map_update(&others, &subject, &tgid, 0);
	}
	struct event *e = begin(serves ? SENT : UPSTREAM_SENT, &seq);
	if (!e)
		return 0;
	by_current(e);
	e->subject = subject;
	e->a = n;
	if (serves) {
		e->b = sk->sk_wmem_queued;
		const struct tcp_sock *tp = to_tcp(sk);
		e->part[0] = tp ? tp->snd_wnd : 0;
		e->part[1] = tp ? tp->write_seq - tp->snd_una : 0;
		e->part[2] = tp ? tp->write_seq - tp->snd_nxt : 0;
		e->part[3] = 0;
	} else {
		peer(e, sk);
	}
	commit(e, seq);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int on_state(u64 *ctx)
{
	const struct sock *sk = (void *)ctx[0];
	u64 seq, subject = (u64)sk;
	if (!enabled || sk->sk_protocol != 6)
		return 0;
	u16 kind = STATE;
	if (of_server(sk)) {
		subject = connection(sk, 1);
	} else {
		u32 tgid = pid_tgid() >> 32;
		if (of_client(sk))
			return 0;
		kind = UPSTREAM_STATE;
		if (ctx[2] == 2 && watches(tgid)) // SYN_SENT: connect was called
			map_update(&others, &subject, &tgid, 0);
		else if (!map_lookup(&others, &subject))
			return 0;
	}
	struct event *e = begin(kind, &seq);
	if (!e)
		return 0;
	by_current(e);
	e->subject = subject;
	e->a = (u32)ctx[1] << 8 | (u32)ctx[2];
	e->b = 0;
	if (kind == UPSTREAM_STATE)
		peer(e, sk);
	commit(e, seq);
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int on_retransmit(u64 *ctx)
{
	const struct sock *sk = (void *)ctx[0];
	u64 seq;
	if (!enabled)
		return 0;
	_Bool serves = of_server(sk);
	if (!serves && !of_client(sk))
		return 0;
	struct event *e = begin(RETRANSMIT, &seq);
	if (!e)
		return 0;
	e->tid = e->tgid = 0;
	e->subject = connection(sk, serves);
	e->a = serves;
	e->b = sk->sk_wmem_queued;
	commit(e, seq);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
