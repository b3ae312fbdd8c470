// Browsers start no workers on pages that are opened from a folder. The search then runs in a hidden frame,
// which takes the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = Object.assign(document.createElement("iframe"), { hidden: true });
      document.body.append(frame);
      this.inside = frame.contentWindow;
      window.addEventListener("message", (event) => {
        if (event.source !== this.inside) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      this.ready = new Promise((resolve) => {
        const page = frame.contentDocument;
        const script = page.createElement("script");
        Object.assign(script, { src: url, onload: resolve });
        this.inside.eval("postMessage = (data) => parent.postMessage(data, '*')");
        page.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
