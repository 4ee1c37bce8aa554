'use strict';

// The worker in which the simulator of a page runs. It is given the compiled program and what the page carries, and then
// requests; it answers each with a text and the bytes of a timeline. Files that the run reads are in memory.
onmessage = async ({ data }) => {
  if (data.module) {
    const start = JSON.parse(data.start), go = new Go();
    serveFiles(start);
    globalThis.overlapsimStart = data.start;
    globalThis.overlapsimStarted = (error) => postMessage({ started: true, error });
    globalThis.overlapsimBegins = (seconds) => postMessage({ seconds });
    const instance = await WebAssembly.instantiate(data.module, go.importObject);
    globalThis.overlapsimMemory = instance.exports.mem;
    go.run(instance).then(() => postMessage({ ended: true }), (error) => postMessage({ ended: true, error: String(error) }));
    return;
  }
  overlapsim(data.request, (reply, timeline) => {
    postMessage({ id: data.id, reply, timeline, memory: overlapsimMemory.buffer.byteLength }, [timeline.buffer]);
  });
};

// serveFiles lets the program open the files that the page carries.
function serveFiles(start) {
  const files = new Map(Object.entries(start.files || {}).map(([name, text]) => [name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
  const open = new Map(), folder = start.folder || '/';
  const whole = (name) => {
    const parts = [];
    for (const part of (name.startsWith('/') ? name : folder + '/' + name).split('/')) {
      if (part === '..') parts.pop(); else if (part && part !== '.') parts.push(part);
    }
    return '/' + parts.join('/');
  };
  const missing = () => Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const about = (bytes) => ({
    dev: 0, ino: 0, mode: bytes ? 0o100444 : 0o40555, nlink: 1, uid: 0, gid: 0, rdev: 0, size: bytes ? bytes.length : 0, blksize: 512, blocks: 0,
    atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => !bytes,
  });
  const isFolder = (name) => [...files.keys()].some((file) => file.startsWith(name === '/' ? name : name + '/'));
  const stat = (name, done) => {
    const path = whole(name);
    if (files.has(path)) done(null, about(files.get(path))); else if (isFolder(path)) done(null, about(null)); else done(missing());
  };
  let next = 100;
  globalThis.process.cwd = () => folder;
  Object.assign(globalThis.fs, {
    stat, lstat: stat,
    open(name, flags, mode, done) {
      const bytes = files.get(whole(name));
      if (!bytes) return done(missing());
      open.set(next, { bytes, at: 0 });
      done(null, next++);
    },
    fstat(fd, done) { done(null, about(open.get(fd).bytes)); },
    close(fd, done) { open.delete(fd); done(null); },
    read(fd, buffer, offset, length, position, done) {
      const file = open.get(fd), at = position ?? file.at, piece = file.bytes.subarray(at, at + length);
      buffer.set(piece, offset);
      if (position === null) file.at += piece.length;
      done(null, piece.length);
    },
  });
}
