// SPDX-License-Identifier: Apache-2.0
// Requests to the server this page comes from.

const KEY = "coracle-token";
export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => sessionStorage.setItem(KEY, value),
  forget: () => sessionStorage.removeItem(KEY),
};

/// What the server answered with an error, or that it did not answer.
export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let wanted = async () => {};
/// `want(refused)` resolves when there is a token; `refused` says that the one before was wrong.
export function onTokenWanted(want) {
  wanted = want;
}

/// A response whose status is that of success. `path` is relative to the page: "v2/models".
export async function ask(path, {method = "GET", body, headers = {}} = {}) {
  for (;;) {
    const sent = token.get();
    let response;
    try {
      response = await fetch(path, {
        method, body, cache: "no-store",
        headers: sent ? {...headers, Authorization: "Bearer " + sent} : headers,
      });
    } catch {
      throw new ServerError("The server does not answer.", 0);
    }
    if (response.ok) return response;
    if (response.status === 401) {
      await wanted(sent !== null);
      continue;
    }
    const text = await response.text();
    let message = text;
    try {
      const answer = JSON.parse(text);
      message = answer.error ?? answer.errorMsg ?? text;
    } catch { /* the text says it */ }
    throw new ServerError(message || `The server answers with status ${response.status}.`, response.status);
  }
}

export const askJson = async (path, options) => (await ask(path, options)).json();

export function modelPath(name, version, rest) {
  const parts = ["v2", "models", encodeURIComponent(name)];
  if (version) parts.push("versions", encodeURIComponent(version));
  if (rest) parts.push(rest);
  return parts.join("/");
}

export const absolute = (path) => new URL(path, document.baseURI).href;

/// Runs `task` now and then every `seconds`, while the page is seen; `failed(error or null)` is told how it went.
export function repeat(seconds, task, failed) {
  const turn = async () => {
    if (!document.hidden) {
      try {
        await task();
        failed(null);
      } catch (error) {
        failed(error);
      }
    }
    setTimeout(turn, seconds * 1000);
  };
  turn();
}
