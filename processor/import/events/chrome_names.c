/* Names of the kinds of processes and threads of Chrome, for those that bring none. */
#include "processor/import/events/events.h"

/* Services of Chrome are called by the interface that they offer. */
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
    "Service: network.mojom.NetworkService",
    "Service: tracing.mojom.TracingService",
    "Service: storage.mojom.StorageService",
    "Service: audio.mojom.AudioService",
    "Service: data_decoder.mojom.DataDecoderService",
    "Service: chrome.mojom.UtilWin",
    "Service: proxy_resolver.mojom.ProxyResolverFactory",
    "Service: media.mojom.CdmServiceBroker",
    "Service: video_capture.mojom.VideoCaptureService",
    "Service: unzip.mojom.Unzipper",
    "Service: mirroring.mojom.MirroringService",
    "Service: patch.mojom.FilePatcher",
    "Service: chromeos.tts.mojom.TtsService",
    "Service: printing.mojom.PrintingService",
    "Service: quarantine.mojom.Quarantine",
    "Service: chromeos.local_search_service.mojom.LocalSearchService",
    "Service: chromeos.assistant.mojom.AssistantAudioDecoderFactory",
    "Service: chrome.mojom.FileUtilService",
    "Service: printing.mojom.PrintCompositor",
    "Service: paint_preview.mojom.PaintPreviewCompositorCollection",
    "Service: media.mojom.SpeechRecognitionService",
    "Service: device.mojom.XRDeviceService",
    "Service: chrome.mojom.UtilReadIcon",
    "Service: language_detection.mojom.LanguageDetectionService",
    "Service: sharing.mojom.Sharing",
    "Service: chrome.mojom.MediaParserFactory",
    "Service: qrcode_generator.mojom.QRCodeGeneratorService",
    "Service: chrome.mojom.ProfileImport",
    "Service: chromeos.ime.mojom.ImeService",
    "Service: recording.mojom.RecordingService",
    "Service: shape_detection.mojom.ShapeDetectionService",
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
