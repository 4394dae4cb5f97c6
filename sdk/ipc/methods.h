/* Methods of the IPC services, in declaration order. Made by tools/gen_protos.py. */
#ifndef ORMA_SDK_IPC_METHODS_H
#define ORMA_SDK_IPC_METHODS_H

#define ORMA_CONSUMER_PORT_NAME "ConsumerPort"
enum orma_consumer_port_method {
    ORMA_CONSUMER_PORT_ENABLE_TRACING = 1,
    ORMA_CONSUMER_PORT_DISABLE_TRACING = 2,
    ORMA_CONSUMER_PORT_READ_BUFFERS = 3,
    ORMA_CONSUMER_PORT_FREE_BUFFERS = 4,
    ORMA_CONSUMER_PORT_FLUSH = 5,
    ORMA_CONSUMER_PORT_START_TRACING = 6,
    ORMA_CONSUMER_PORT_CHANGE_TRACE_CONFIG = 7,
    ORMA_CONSUMER_PORT_DETACH = 8,
    ORMA_CONSUMER_PORT_ATTACH = 9,
    ORMA_CONSUMER_PORT_GET_TRACE_STATS = 10,
    ORMA_CONSUMER_PORT_OBSERVE_EVENTS = 11,
    ORMA_CONSUMER_PORT_QUERY_SERVICE_STATE = 12,
    ORMA_CONSUMER_PORT_QUERY_CAPABILITIES = 13,
    ORMA_CONSUMER_PORT_SAVE_TRACE_FOR_BUGREPORT = 14,
    ORMA_CONSUMER_PORT_CLONE_SESSION = 15,
    ORMA_CONSUMER_PORT_METHODS_END
};
#define ORMA_CONSUMER_PORT_METHODS                                                                 \
    {                                                                                              \
        [ORMA_CONSUMER_PORT_ENABLE_TRACING] = "EnableTracing",                                     \
        [ORMA_CONSUMER_PORT_DISABLE_TRACING] = "DisableTracing",                                   \
        [ORMA_CONSUMER_PORT_READ_BUFFERS] = "ReadBuffers",                                         \
        [ORMA_CONSUMER_PORT_FREE_BUFFERS] = "FreeBuffers", [ORMA_CONSUMER_PORT_FLUSH] = "Flush",   \
        [ORMA_CONSUMER_PORT_START_TRACING] = "StartTracing",                                       \
        [ORMA_CONSUMER_PORT_CHANGE_TRACE_CONFIG] = "ChangeTraceConfig",                            \
        [ORMA_CONSUMER_PORT_DETACH] = "Detach", [ORMA_CONSUMER_PORT_ATTACH] = "Attach",            \
        [ORMA_CONSUMER_PORT_GET_TRACE_STATS] = "GetTraceStats",                                    \
        [ORMA_CONSUMER_PORT_OBSERVE_EVENTS] = "ObserveEvents",                                     \
        [ORMA_CONSUMER_PORT_QUERY_SERVICE_STATE] = "QueryServiceState",                            \
        [ORMA_CONSUMER_PORT_QUERY_CAPABILITIES] = "QueryCapabilities",                             \
        [ORMA_CONSUMER_PORT_SAVE_TRACE_FOR_BUGREPORT] = "SaveTraceForBugreport",                   \
        [ORMA_CONSUMER_PORT_CLONE_SESSION] = "CloneSession",                                       \
    }

#define ORMA_PRODUCER_PORT_NAME "ProducerPort"
enum orma_producer_port_method {
    ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION = 1,
    ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE = 2,
    ORMA_PRODUCER_PORT_UNREGISTER_DATA_SOURCE = 3,
    ORMA_PRODUCER_PORT_COMMIT_DATA = 4,
    ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND = 5,
    ORMA_PRODUCER_PORT_REGISTER_TRACE_WRITER = 6,
    ORMA_PRODUCER_PORT_UNREGISTER_TRACE_WRITER = 7,
    ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STARTED = 8,
    ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STOPPED = 9,
    ORMA_PRODUCER_PORT_ACTIVATE_TRIGGERS = 10,
    ORMA_PRODUCER_PORT_SYNC = 11,
    ORMA_PRODUCER_PORT_UPDATE_DATA_SOURCE = 12,
    ORMA_PRODUCER_PORT_METHODS_END
};
#define ORMA_PRODUCER_PORT_METHODS                                                                 \
    {                                                                                              \
        [ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION] = "InitializeConnection",                       \
        [ORMA_PRODUCER_PORT_REGISTER_DATA_SOURCE] = "RegisterDataSource",                          \
        [ORMA_PRODUCER_PORT_UNREGISTER_DATA_SOURCE] = "UnregisterDataSource",                      \
        [ORMA_PRODUCER_PORT_COMMIT_DATA] = "CommitData",                                           \
        [ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND] = "GetAsyncCommand",                                \
        [ORMA_PRODUCER_PORT_REGISTER_TRACE_WRITER] = "RegisterTraceWriter",                        \
        [ORMA_PRODUCER_PORT_UNREGISTER_TRACE_WRITER] = "UnregisterTraceWriter",                    \
        [ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STARTED] = "NotifyDataSourceStarted",               \
        [ORMA_PRODUCER_PORT_NOTIFY_DATA_SOURCE_STOPPED] = "NotifyDataSourceStopped",               \
        [ORMA_PRODUCER_PORT_ACTIVATE_TRIGGERS] = "ActivateTriggers",                               \
        [ORMA_PRODUCER_PORT_SYNC] = "Sync",                                                        \
        [ORMA_PRODUCER_PORT_UPDATE_DATA_SOURCE] = "UpdateDataSource",                              \
    }

#define ORMA_RELAY_PORT_NAME "RelayPort"
enum orma_relay_port_method {
    ORMA_RELAY_PORT_INIT_RELAY = 1,
    ORMA_RELAY_PORT_SYNC_CLOCK = 2,
    ORMA_RELAY_PORT_METHODS_END
};
#define ORMA_RELAY_PORT_METHODS                                                                    \
    {                                                                                              \
        [ORMA_RELAY_PORT_INIT_RELAY] = "InitRelay", [ORMA_RELAY_PORT_SYNC_CLOCK] = "SyncClock",    \
    }

#endif
