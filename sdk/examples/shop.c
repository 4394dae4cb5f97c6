/*
 * The shop of docs/tutorial.md: three threads that answer requests, and three faults for the reader to find.
 *
 *   shop [--fixed] [REQUESTS]        # 600
 *
 * One request in fifty writes the books while it holds the lock of the stock, so others wait for a disk that they do not
 * need. Prices are looked for from the first to the last. Receipts are kept and never freed. --fixed has none of them.
 */
#define _GNU_SOURCE
#include <orma/orma.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS 3
#define PRICES 20000
#define RECEIPT_BYTES 8192

ORMA_CATEGORY_DEFINE(shop, "shop", "Requests and their steps", NULL);

static bool fixed;
static int requests = 600;
static atomic_int taken;

static struct price {
    int article, cents;
} prices[PRICES]; /* by article */

static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static int stock[PRICES];
static int books; /* a file */

static struct receipt {
    struct receipt *next;
    char text[RECEIPT_BYTES];
} *receipts;

static int compare_price(const void *a, const void *b)
{
    return ((const struct price *)a)->article - ((const struct price *)b)->article;
}

/* The place of a price; from the first to the last, until somebody mends it. */
__attribute__((noinline)) static const struct price *find_price(int article)
{
    if (fixed)
        return bsearch(&(struct price){article, 0}, prices, PRICES, sizeof(prices[0]), compare_price);
    for (volatile int i = 0; i < PRICES; i++)
        if (prices[i].article == article)
            return &prices[i];
    return NULL;
}

static int add_up(unsigned *random)
{
    ORMA_SLICE(shop, "add up");
    int cents = 0;

    for (int i = 0; i < 40; i++) {
        const struct price *price = find_price(2 * (rand_r(random) % PRICES));
        cents += price ? price->cents : 0;
    }
    return cents;
}

static void write_books(int number)
{
    ORMA_SLICE(shop, "write books", ORMA_ARG_INT("request", number));
    char line[4096] = {0};

    snprintf(line, sizeof(line), "up to request %d\n", number);
    for (int i = 0; i < 256; i++)
        if (write(books, line, sizeof(line)) < 0)
            return;
    (void)fdatasync(books); /* books that are not on the disk are as bad as none */
    usleep(20000);          /* the disk of this shop is old */
}

static void take_from_stock(int number, int article)
{
    ORMA_SLICE(shop, "take from stock");
    bool time_for_books = number % 50 == 49;

    pthread_mutex_lock(&stock_lock);
    stock[article]--;
    if (time_for_books && !fixed)
        write_books(number);
    pthread_mutex_unlock(&stock_lock);
    if (time_for_books && fixed)
        write_books(number);
}

static void print_receipt(int number, int cents)
{
    ORMA_SLICE(shop, "print receipt");
    struct receipt *receipt = malloc(sizeof(*receipt));

    if (!receipt)
        return;
    memset(receipt->text, ' ', sizeof(receipt->text));
    snprintf(receipt->text, sizeof(receipt->text), "request %d: %d.%02d\n", number, cents / 100, cents % 100);
    if (fixed) {
        free(receipt);
        return;
    }
    pthread_mutex_lock(&stock_lock);
    receipt->next = receipts;
    receipts = receipt;
    pthread_mutex_unlock(&stock_lock);
}

static void answer(int number, unsigned *random)
{
    ORMA_SLICE(shop, "request", ORMA_ARG_INT("number", number));
    int cents = add_up(random);

    take_from_stock(number, rand_r(random) % PRICES);
    print_receipt(number, cents);
}

static void *work(void *arg)
{
    int worker = *(int *)arg;
    unsigned random = (unsigned)worker;
    char name[16];

    snprintf(name, sizeof(name), "worker-%d", worker);
    pthread_setname_np(pthread_self(), name);
    for (int number; (number = atomic_fetch_add(&taken, 1)) < requests;) {
        usleep(2000); /* customers come when they like */
        answer(number, &random);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[WORKERS];
    int numbers[WORKERS];

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fixed") == 0)
            fixed = true;
        else
            requests = atoi(argv[i]);
    }
    for (int i = 0; i < PRICES; i++)
        prices[i] = (struct price){2 * i, i % 1000};
    books = open("books.txt", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (books < 0) {
        perror("books.txt");
        return 1;
    }
    orma_init(NULL);
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i + 1;
        if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d requests answered\n", requests);
    return 0;
}
