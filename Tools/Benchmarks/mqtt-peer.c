// The yardstick of the delivery benchmark: a plain libmosquitto client with a broker, QoS 1 over TLS.
//
//   mqtt-peer publish PORT CA ID COUNT SIZE WINDOW   publish COUNT messages, WINDOW at most not acknowledged, when told
//   mqtt-peer join PORT CA ID                        begin a persistent session that is subscribed, and leave
//   mqtt-peer receive PORT CA ID COUNT               take up that session and receive COUNT messages
//   mqtt-peer fleet PORT CA ID COUNT                 COUNT connections that are subscribed; publish to all when told
//
// It prints lines with times in microseconds of CLOCK_BOOTTIME and its own processor time. A line on
// standard input makes it begin, and the end of standard input ends a fleet.
//
// Build: cc -O2 -Wall -Wextra -Werror -o mqtt-peer mqtt-peer.c -lmosquitto
#include <errno.h>
#include <mosquitto.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *const topic = "household/child";
static const char *host = "127.0.0.1", *authority;
static int port;
static long acknowledged, subscribed, received, awaited;
static int64_t first, last;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "mqtt-peer: %s: %s\n", what, why);
  exit(1);
}

static void check(int result, const char *what) {
  if (result == MOSQ_ERR_SUCCESS) return;
  fail(what, result == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(result));
}

/// Microseconds of processor time so far.
static long long cost(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void say(const char *line) {
  puts(line);
  fflush(stdout);
}

static void wait_for_line(void) {
  char byte;
  do {
    if (read(STDIN_FILENO, &byte, 1) != 1) exit(0);
  } while (byte != '\n');
}

static void on_connect(struct mosquitto *client, void *own, int result) {
  if (result != 0) fail("the broker refused", mosquitto_connack_string(result));
  // A publisher and a continued session have nothing to subscribe to.
  if (own) check(mosquitto_subscribe(client, NULL, topic, 1), "subscribing");
  else subscribed++;
}

static void on_subscribe(struct mosquitto *client, void *own, int id, int count, const int *granted) {
  (void)client, (void)own, (void)id;
  if (count != 1 || granted[0] != 1) fail("subscribing", "QoS 1 was not granted");
  subscribed++;
}

static void on_publish(struct mosquitto *client, void *own, int id) {
  (void)client, (void)own, (void)id;
  acknowledged++;
}

static void on_message(struct mosquitto *client, void *own, const struct mosquitto_message *message) {
  (void)client, (void)own, (void)message;
  received++;
  if (received == 1) first = now();
  if (received == awaited) last = now();
}

static void on_disconnect(struct mosquitto *client, void *own, int reason) {
  (void)client, (void)own;
  if (reason != 0) fail("the connection ended", mosquitto_strerror(reason));
}

/// Connects over TCP; the loop does the rest.
static struct mosquitto *begin(const char *id, bool is_clean, bool subscribes) {
  static int yes;
  struct mosquitto *client = mosquitto_new(id, is_clean, subscribes ? &yes : NULL);
  if (!client) fail("making a client", strerror(errno));
  check(mosquitto_tls_set(client, authority, NULL, NULL, NULL, NULL), "reading the authority");
  // Neither side holds messages back until acknowledgements arrive.
  check(mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65535), "setting the window");
  check(mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 65535), "setting the window");
  check(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1), "setting TCP_NODELAY");
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_subscribe_callback_set(client, on_subscribe);
  mosquitto_publish_callback_set(client, on_publish);
  mosquitto_message_callback_set(client, on_message);
  mosquitto_disconnect_callback_set(client, on_disconnect);
  check(mosquitto_connect(client, host, port, 600), "connecting");
  return client;
}

static void turn(struct mosquitto *client, int milliseconds) {
  check(mosquitto_loop(client, milliseconds, 1), "the connection");
}

static void publish(const char *id, long count, size_t size, long window) {
  char *body = malloc(size);
  if (!body) fail("memory", strerror(errno));
  memset(body, 'm', size);
  struct mosquitto *client = begin(id, true, false);
  while (subscribed < 1) turn(client, 1000);
  say("ready");
  wait_for_line();
  int64_t began = now();
  for (long sent = 0; acknowledged < count;) {
    while (sent < count && sent - acknowledged < window) {
      check(mosquitto_publish(client, NULL, topic, (int)size, body, 1, false), "publishing");
      sent++;
      // Incoming data is read as well; otherwise, the broker would have to hold it.
      if (sent % 64 == 0) turn(client, 0);
    }
    turn(client, 1000);
  }
  printf("published %lld %lld %lld\n", (long long)began, (long long)now(), cost());
  fflush(stdout);
  mosquitto_disconnect(client);
}

static void join(const char *id) {
  struct mosquitto *client = begin(id, false, true);
  while (subscribed < 1) turn(client, 1000);
  mosquitto_disconnect(client);
  say("joined");
}

static void receive(const char *id, long count) {
  awaited = count;
  int64_t began = now();
  struct mosquitto *client = begin(id, false, false);
  while (subscribed < 1) turn(client, 1000);
  if (received == 0) say("ready");
  while (received < count) turn(client, 1000);
  printf("received %lld %lld %lld %lld\n", (long long)began, (long long)first, (long long)last, cost());
  fflush(stdout);
  // The last acknowledgements leave before the connection ends.
  for (int turns = 0; turns < 3 || mosquitto_want_write(client); turns++) turn(client, 0);
  mosquitto_disconnect(client);
}

// The same for descriptors beyond 1,023, which the library's own loop cannot wait for.
static void turn_high(struct mosquitto *client, int milliseconds) {
  struct pollfd ready = {.fd = mosquitto_socket(client), .events = POLLIN};
  if (mosquitto_want_write(client)) ready.events |= POLLOUT;
  if (poll(&ready, 1, milliseconds) < 0) fail("poll", strerror(errno));
  if (ready.revents & (POLLIN | POLLHUP | POLLERR)) check(mosquitto_loop_read(client, 1), "reading");
  if (ready.revents & POLLOUT) check(mosquitto_loop_write(client, 1), "writing");
  check(mosquitto_loop_misc(client), "the connection");
}

static void fleet(const char *id, long count) {
  struct rlimit limit = {65536, 65536};
  setrlimit(RLIMIT_NOFILE, &limit);
  struct mosquitto **clients = calloc((size_t)count, sizeof *clients);
  int events_of = epoll_create1(0);
  if (!clients || events_of < 0) fail("memory", strerror(errno));
  for (long index = 0; index < count; index++) {
    char own[64];
    snprintf(own, sizeof own, "%s-%ld", id, index);
    clients[index] = begin(own, false, true);
    // One after the other, since the broker's queue of connections is short.
    while (subscribed <= index) turn_high(clients[index], 1000);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = clients[index]};
    if (epoll_ctl(events_of, EPOLL_CTL_ADD, mosquitto_socket(clients[index]), &event)) fail("epoll", strerror(errno));
  }
  say("ready");
  char publisher_id[64];
  snprintf(publisher_id, sizeof publisher_id, "%s-all", id);
  struct mosquitto *publisher = begin(publisher_id, true, false);
  while (subscribed <= count) turn_high(publisher, 1000);
  while (true) {
    wait_for_line();
    received = 0;
    awaited = count;
    char body[200];
    memset(body, 'm', sizeof body);
    int64_t began = now();
    check(mosquitto_publish(publisher, NULL, topic, sizeof body, body, 1, false), "publishing");
    while (received < count) {
      turn_high(publisher, 0);
      struct epoll_event events[256];
      int ready = epoll_wait(events_of, events, 256, 10);
      for (int index = 0; index < ready; index++) {
        struct mosquitto *client = events[index].data.ptr;
        check(mosquitto_loop_read(client, 1), "reading");
        while (mosquitto_want_write(client)) check(mosquitto_loop_write(client, 1), "writing");
      }
    }
    printf("all %lld %lld\n", (long long)began, (long long)last);
    fflush(stdout);
  }
}

int main(int count, char **arguments) {
  if (count < 5) fail("usage", "see the top of mqtt-peer.c");
  port = atoi(arguments[2]);
  authority = arguments[3];
  const char *mode = arguments[1], *id = arguments[4];
  mosquitto_lib_init();
  if (!strcmp(mode, "publish") && count == 8)
    publish(id, atol(arguments[5]), (size_t)atol(arguments[6]), atol(arguments[7]));
  else if (!strcmp(mode, "join") && count == 5) join(id);
  else if (!strcmp(mode, "receive") && count == 6) receive(id, atol(arguments[5]));
  else if (!strcmp(mode, "fleet") && count == 6) fleet(id, atol(arguments[5]));
  else fail("usage", "see the top of mqtt-peer.c");
  mosquitto_lib_cleanup();
  return 0;
}
