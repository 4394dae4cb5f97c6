/* Names of the kinds of processes and threads of Chrome, for those that bring none. */
#include "processor/import/events/events.h"

static const char *const processes[] = {
    NULL,
    "Browser",
    "Renderer",
    "Utility",
    "Zygote",
    "SandboxHelper",
    "Gpu",
    "PpapiPlugin",
    "PpapiBroker",
    "NetworkService",
    "TracingService",
    "StorageService",
    "AudioService",
    "DataDecoderService",
    "UtilWinService",
    "ProxyResolverService",
    "CdmService",
    "VideoCaptureService",
    "UnzipperService",
    "MirroringService",
    "FilePatcherService",
    "TtsService",
    "PrintingService",
    "QuarantineService",
    "CrosLocalSearchService",
    "CrosAssistantAudioDecoderService",
    "FileUtilService",
    "PrintCompositorService",
    "PaintPreviewService",
    "SpeechRecognitionService",
    "XrDeviceService",
    "ReadIconService",
    "LanguageDetectionService",
    "SharingService",
    "MediaParserService",
    "QrCodeGeneratorService",
    "ProfileImportService",
    "ImeService",
    "RecordingService",
    "ShapeDetectionService",
    "RendererExtension",
};

/* A name that ends in & stands for many threads of a kind. */
static const char *const threads[] = {
    NULL,
    "CrProcessMain",
    "ChromeIOThread",
    "ThreadPoolBackgroundWorker&",
    "ThreadPoolForegroundWorker&",
    "ThreadPoolSingleThreadForegroundBlocking&",
    "ThreadPoolSingleThreadBackgroundBlocking&",
    "ThreadPoolService",
    "Compositor",
    "VizCompositorThread",
    "CompositorTileWorker&",
    "ServiceWorkerThread&",
    "NetworkService",
    "Chrome_ChildIOThread",
    "Chrome_IOThread",
    "CrBrowserMain",
    "CrRendererMain",
    "CrUtilityMain",
    "CrGpuMain",
    "CacheThread_BlockFile",
    "Media",
    "AudioOutputDevice",
    "AudioInputDevice",
    "GpuMemory",
    "GpuVSync",
    "DXVAVideoDecoder",
    "BrowserWatchdog",
    "WebRTC_Network",
    "Window_owner",
    "WebRTC_Signaling",
    "WebRTC_Worker",
    "CrPPAPIMain",
    "GpuWatchdog",
    "Swapper",
    "GamepadPolling",
    "Webcrypto",
    "Database",
    "ProxyResolver",
    "DevtoolsADB",
    "NetworkConfigWatcher",
    "WasapiRender",
    "LoaderLockSampler",
    [50] = "MemoryInfra",
    [51] = "StackSamplingProfiler",
};

static uint32_t name_of(struct orma_import_ctx *imp, const char *const *names, size_t num,
                        uint64_t type)
{
    return type < num && names[type] ? orma_model_cstr(imp->model, names[type]) : 0;
}

uint32_t orma_events_chrome_process(struct orma_import_ctx *imp, uint64_t type)
{
    return name_of(imp, processes, ORMA_ARRAY_LEN(processes), type);
}

uint32_t orma_events_chrome_thread(struct orma_import_ctx *imp, uint64_t type)
{
    return name_of(imp, threads, ORMA_ARRAY_LEN(threads), type);
}
