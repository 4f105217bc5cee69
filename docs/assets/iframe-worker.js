// SPDX-License-Identifier: Apache-2.0
// Browsers start no Worker for pages that are read from disk: the script of the search runs in a hidden frame of the page there.
// The theme looks for the name IFrameWorker, and finds its other scripts by the frame's script element.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.early = [];   // Messages from before the script was there.
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      inner.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.load(url).then(() => {
        const early = this.early;
        this.early = null;
        early.forEach(data => this.postMessage(data));
      }, () => this.dispatchEvent(new Event("error")));
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(url, location).href;
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.appendChild(script);
      });
    }

    postMessage(data) {
      if (this.early) {
        this.early.push(data);
      } else {
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data}));
      }
    }

    terminate() {
      this.frame.remove();
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}
