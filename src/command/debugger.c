/* Waits until GDB connects: see debugger.h. */
#include "command/debugger.h"
#include "command/command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int report_failure(const char *address, int s)
{
	cli_error("run", "--gdb %s: %s", address, strerror(errno));
	if (s >= 0)
		close(s);
	return -1;
}

/* A socket that listens, of this machine alone; -1: already reported. */
static int listen_port(const char *address)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const char *colon = strrchr(address, ':');
	uint64_t port;
	size_t host = colon ? (size_t)(colon - address) : 0;
	bool own = colon && (!host || (host == 9 && !strncmp(address, "localhost", host)) ||
			     (host == 9 && !strncmp(address, "127.0.0.1", host)));
	if (!own || !cli_u64(colon + 1, &port) || port > 65535) {
		cli_error(
			"run",
			"--gdb %s: expected :PORT (of this machine alone; :0 for a free one), unix:FILE or -",
			address);
		return -1;
	}
	int on = 1, s = socket(AF_INET, SOCK_STREAM, 0);
	a.sin_port = htons((uint16_t)port);
	if (s >= 0)
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 1))
		return report_failure(address, s);
	return s;
}

static int listen_file(const char *address)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const char *file = address + strlen("unix:");
	if (!*file || strlen(file) >= sizeof a.sun_path) {
		cli_error("run", "--gdb %s: expected unix:FILE of at most %zu characters", address,
			  sizeof a.sun_path - 1);
		return -1;
	}
	strcpy(a.sun_path, file);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 1))
		return report_failure(address, s);
	return s;
}

static bool take_standard(int fd[2])
{
	fd[0] = dup(STDIN_FILENO);
	fd[1] = dup(STDOUT_FILENO);
	return fd[0] >= 0 && fd[1] >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static void say_where(const char *address, bool is_file, int s)
{
	struct sockaddr_in a;
	socklen_t n = sizeof a;
	if (is_file)
		fprintf(stderr, "waiting for GDB: target remote %s\n", address + strlen("unix:"));
	else if (!getsockname(s, (struct sockaddr *)&a, &n))
		fprintf(stderr, "waiting for GDB: target remote :%u\n", ntohs(a.sin_port));
}

bool debugger_listen(const char *address, bool quiet, int fd[2])
{
	bool is_file = !strncmp(address, "unix:", 5);
	if (!strcmp(address, "-"))
		return take_standard(fd);
	int s = is_file ? listen_file(address) : listen_port(address);
	if (s < 0)
		return false;
	if (!quiet)
		say_where(address, is_file, s);
	do
		fd[0] = fd[1] = accept(s, NULL, NULL);
	while (fd[0] < 0 && errno == EINTR);
	if (fd[0] < 0)
		return report_failure(address, s) >= 0;
	int on = 1;
	if (!is_file)
		setsockopt(fd[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	close(s);
	if (is_file)
		unlink(address + strlen("unix:"));
	return true;
}
