#pragma once

#include "test/native/recorder/protocol/capture.h"

// What real clients of npm and real servers of Debian said to each other; long
// messages are cut. hunter2 is the secret that was planted everywhere.
namespace edgewise {

inline const Capture kPg[] = {
    {'>',
     "\000\000\000>\000\003\000\000user\000postgres\000database\000postg"
     "res\000client_encoding\000UTF8\000\000"sv,
     "startup"},
    {'>', "Q\000\000\0000CREATE TEMP TABLE users (id int, name text)\000"sv,
     "CREATE TABLE users"},
    {'>', "Q\000\000\000,INSERT INTO users VALUES (1, 'hunter2')\000"sv,
     "INSERT users"},
    {'>',
     "P\000\000\000+\000SELECT * FROM users WHERE name = $1\000\000\000B"
     "\000\000\000\033\000\000\000\001\000\000\000\001\000\000\000\007hu"
     "nter2\000\001\000\000D\000\000\000\006P\000E\000\000\000\011\000"
     "\000\000\000\000S\000\000\000\004"sv,
     "SELECT users"},
    {'>',
     "P\000\000\000?by-name\000SELECT id FROM public.pg_class_x WHERE na"
     "me = $1\000\000\000B\000\000\000\"\000by-name\000\000\001\000\000"
     "\000\001\000\000\000\007hunter2\000\001\000\000D\000\000\000\006P"
     "\000E\000\000\000\011\000\000\000\000\000S\000\000\000\004"sv,
     "SELECT public.pg_class_x"},
    {'>',
     "P\000\000\0004by-name2\000SELECT id FROM users WHERE name = $1\000"
     "\000\000B\000\000\000#\000by-name2\000\000\001\000\000\000\001\000"
     "\000\000\007hunter2\000\001\000\000D\000\000\000\006P\000E\000\000"
     "\000\011\000\000\000\000\000S\000\000\000\004"sv,
     "SELECT users"},
    {'>',
     "B\000\000\000#\000by-name2\000\000\001\000\000\000\001\000\000\000"
     "\007hunter2\000\001\000\000D\000\000\000\006P\000E\000\000\000\011"
     "\000\000\000\000\000S\000\000\000\004"sv,
     nullptr},
    {'>', "Q\000\000\000\nBEGIN\000"sv, "BEGIN"},
    {'>', "Q\000\000\000\013COMMIT\000"sv, "COMMIT"},
    {'>', "X\000\000\000\004"sv, "terminate"},
};

inline const Capture kPostgresJs[] = {
    {'>',
     "\000\000\000[\000\003\000\000user\000postgres\000database\000postg"
     "res\000client_encoding\000UTF8\000application_name\000postgres.js"
     "\000\000"sv,
     "startup"},
    {'>',
     "P\000\000\000\350fvcsgay6nvm1\000\n      select b.oid, b.typarray"
     "\n      from pg_catalog.pg_type a\n      left join pg_catalog.pg_t"
     "ype b on b.oid = "sv,
     "SELECT pg_catalog.pg_type"},
    {'>',
     "P\000\000\000Gfvcsgay6nvm2\000select relname from pg_class where r"
     "elname = $1\000\000\001\000\000\000\000D\000\000\000\022Sfvcsgay6n"
     "vm2\000H\000\000\000\004"sv,
     "SELECT pg_class"},
    {'>',
     "B\000\000\000#\000fvcsgay6nvm2\000\000\000\000\001\000\000\000\007"
     "hunter2\000\000E\000\000\000\011\000\000\000\000\000S\000\000\000"
     "\004"sv,
     nullptr},
    {'>',
     "B\000\000\000#\000fvcsgay6nvm2\000\000\000\000\001\000\000\000\007"
     "hunter2\000\000E\000\000\000\011\000\000\000\000\000S\000\000\000"
     "\004"sv,
     nullptr},
    {'>', "X\000\000\000\004"sv, "terminate"},
};

inline const Capture kMysql2[] = {
    {'<',
     "d\000\000\000\n5.5.5-10.11.19-MariaDB-0+deb12u1\000\004\000\000"
     "\000L6g%\"xW-\000\376\367\010\002\000\377\201\025\000\000\000\000"
     "\000\000\035\000\000\000y;W'ZpFL+0Mv\000mysql_na"sv,
     nullptr},
    {'>',
     "\205\000\000\001\316\363\272\010\000\000\000\000\340\000\000\000"
     "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000"
     "\010\000\000\000cap\000\024e\257\370\323\222\264\233D\207\365\241"
     "\206\271\341N\2377\350L[cap\000mysql_native_password\0001\014_clie"
     "nt_name\014Node-MySQL-2\017_client_version"sv,
     "connect"},
    {'>',
     "8\000\000\000\003CREATE TEMPORARY TABLE users (id int, name varcha"
     "r(20))"sv,
     "CREATE TABLE users"},
    {'>', "(\000\000\000\003INSERT INTO users VALUES (1, 'hunter2')"sv,
     "INSERT users"},
    {'>', "%\000\000\000\026SELECT * FROM `users` WHERE name = ?"sv,
     "SELECT users"},
    {'<',
     "\014\000\000\001\000\001\000\000\000\002\000\001\000\000\000\000"
     "\030\000\000\002\003def\000\000\000\001?\000\000\014?\000\000\000"
     "\000\000\006\200\000\000\000\000\005\000\000\003\376\000\000\002"
     "\000(\000\000\004\003def\003cap\005users\005users\002id\002id\000"
     "\014?\000\013\000\000"sv,
     nullptr},
    {'>',
     "\026\000\000\000\027\001\000\000\000\000\001\000\000\000\000\001"
     "\375\000\007hunter2"sv,
     nullptr},
    {'>',
     "\026\000\000\000\027\001\000\000\000\000\001\000\000\000\000\001"
     "\375\000\007hunter2"sv,
     nullptr},
    {'>', "\022\000\000\000\003START TRANSACTION"sv, "START TRANSACTION"},
    {'>', "\007\000\000\000\003COMMIT"sv, "COMMIT"},
    {'>', "\001\000\000\000\016"sv, "ping"},
};

inline const Capture kMongodb[] = {
    {'>',
     "a\001\000\000\002\000\000\000\000\000\000\000\324\007\000\000\000"
     "\000\000\000admin.$cmd\000\000\000\000\000\377\377\377\377:\001"
     "\000\000\020ismaster\000\001\000\000\000\002backpressure\000\002"
     "\000\000\0002\000\010helloOk\000\001\003client\000\343\000\000\000"
     "\003driver\000)\000\000\000\002name\000\007\000\000\000nodejs\000"
     "\002v"sv,
     "ismaster"},
    {'>',
     "m\000\000\000\003\000\000\000\000\000\000\000\335\007\000\000\000"
     "\000\000\000\000X\000\000\000\002find\000\006\000\000\000users\000"
     "\003filter\000\027\000\000\000\002name\000\010\000\000\000hunter2"
     "\000\000\020limit\000\001\000\000\000\010singleBatch\000\001\002$d"
     "b\000\002\000\000\000d\000\000"sv,
     "find users"},
    {'>',
     "|\000\000\000\004\000\000\000\000\000\000\000\335\007\000\000\000"
     "\000\000\000\000g\000\000\000\002insert\000\006\000\000\000users"
     "\000\004documents\0000\000\000\000\0030\000(\000\000\000\002name"
     "\000\010\000\000\000hunter2\000\007_id\000k\011-\2570\361*\276\316"
     "\257E\274\000\000\010ordered\000\001\002$db\000\002\000\000\000d"
     "\000\000"sv,
     "insert users"},
    {'>',
     "{\000\000\000\005\000\000\000\000\000\000\000\335\007\000\000\000"
     "\000\000\000\000f\000\000\000\002aggregate\000\007\000\000\000orde"
     "rs\000\004pipeline\000)\000\000\000\0030\000!\000\000\000\003$matc"
     "h\000\024\000\000\000\002a\000\010\000\000\000hunter2\000\000\000"
     "\000\003cursor\000\005\000\000\000\000\002$db\000\002\000\000\000d"
     "\000\000"sv,
     "aggregate orders"},
    {'>',
     "\210\000\000\000\006\000\000\000\000\000\000\000\335\007\000\000"
     "\000\000\000\000\000s\000\000\000\002update\000\006\000\000\000use"
     "rs\000\004updates\000>\000\000\000\0030\0006\000\000\000\003q\000"
     "\024\000\000\000\002a\000\010\000\000\000hunter2\000\000\003u\000"
     "\027\000\000\000\003$set\000\014\000\000\000\020b\000\001\000\000"
     "\000\000\000\000\000\010ordered\000\001\002$db\000\002"sv,
     "update users"},
};

inline const Capture kIoredis[] = {
    {'>',
     "*2\r\n$5\r\nhello\r\n$1\r\n3\r\n*4\r\n$6\r\nclient\r\n$7\r\nSETINF"
     "O\r\n$7\r\nLIB-VER\r\n$5\r\n6.0.0\r\n*4\r\n$6\r\nclient\r\n$7\r\nS"
     "ETINFO\r\n$8\r\nLIB-NAME\r\n$7\r\nioredis\r"sv,
     "HELLO"},
    {'>', "*1\r\n$4\r\ninfo\r\n"sv, "INFO"},
    {'>', "*3\r\n$3\r\nset\r\n$10\r\nhunter2key\r\n$7\r\nhunter2\r\n"sv, "SET"},
    {'>', "*2\r\n$3\r\nget\r\n$10\r\nhunter2key\r\n"sv, "GET"},
    {'>', "*2\r\n$7\r\nhgetall\r\n$8\r\nhunter2h\r\n"sv, "HGETALL"},
    {'>', "*2\r\n$7\r\ncluster\r\n$5\r\nSLOTS\r\n"sv, "CLUSTER SLOTS"},
    {'>', "*2\r\n$4\r\nAUTH\r\n$7\r\nhunter2\r\n"sv, "AUTH"},
    {'>',
     "*1\r\n$5\r\nmulti\r\n*3\r\n$3\r\nset\r\n$1\r\na\r\n$7\r\nhunter2\r"
     "\n*2\r\n$3\r\nget\r\n$1\r\na\r\n*1\r\n$4\r\nexec\r\n"sv,
     "MULTI"},
    {'>', "*3\r\n$4\r\neval\r\n$16\r\nreturn 'hunter2'\r\n$1\r\n0\r\n"sv,
     "EVAL"},
    {'>', "*3\r\n$7\r\nevalsha\r\n$3\r\nabc\r\n$1\r\n0\r\n"sv, "EVALSHA"},
    {'>', "*3\r\n$6\r\nconfig\r\n$3\r\nGET\r\n$9\r\nmaxmemory\r\n"sv,
     "CONFIG GET"},
    {'>', "*2\r\n$3\r\nget\r\n$1\r\nx\r\n*2\r\n$3\r\nget\r\n$1\r\ny\r\n"sv,
     "GET"},
};

inline const Capture kMemcached[] = {
    {'>', "set hunter2 0 10 6\r\nsecret\r\n"sv, "set"},
    {'>', "get hunter2\r\n"sv, "get"},
    {'>', "incr hunter2 1\r\n"sv, "incr"},
    {'>', "delete hunter2\r\n"sv, "delete"},
};

inline const Capture kMemjs[] = {
    {'>',
     "\200\001\000\007\010\000\000\000\000\000\000\025\000\000\000\001"
     "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\nhunt"
     "er2secret"sv,
     "set"},
    {'>',
     "\200\000\000\007\000\000\000\000\000\000\000\007\000\000\000\002"
     "\000\000\000\000\000\000\000\000hunter2"sv,
     "get"},
    {'>',
     "\200\004\000\007\000\000\000\000\000\000\000\007\000\000\000\003"
     "\000\000\000\000\000\000\000\000hunter2"sv,
     "delete"},
};

}  // namespace edgewise
