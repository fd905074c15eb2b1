// Plain JavaScript: see stdio-bridge.js.
import { answerKey } from '../remembered-answers.js';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {{ id?: any, method?: any, params?: any, result?: any, error?: any }} Message
 */

/** A longer line of the client is not parsed: no request that is answered early is that long. */
const MAX_LINE_BYTES = 64 * 1024;
const LISTEN = 'subscriptions/listen';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
/** For each list: the notification of a change, and the field of a subscription that asks for it. */
const CHANGES = new Map([
  ['tools/list', ['notifications/tools/list_changed', 'toolsListChanged']],
  ['prompts/list', ['notifications/prompts/list_changed', 'promptsListChanged']],
  ['resources/list', ['notifications/resources/list_changed', 'resourcesListChanged']],
  ['resources/templates/list', ['notifications/resources/list_changed', 'resourcesListChanged']],
]);
/**
 * Chat clients, by how their name begins. They do not wait for tools that are late, and most of them list again when
 * the tools change. Any other client may be a program that lists once.
 */
const CHAT_CLIENTS =
  /^(?:claude|codex|gemini|opencode|cursor|visual studio code|windsurf|zed|cline|goose|copilot|github)/i;
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const LIST_FLAGS = new Set([...CHANGES.values()].map(([, flag]) => flag));

/**
 * Answers a client's first requests from memory while the daemon starts. The daemon gets every request too, so that its
 * session knows all that the client said. The daemon's own answers to these requests are dropped; if one of them is a
 * list that has changed, the client is notified.
 */
export class EarlyAnswers {
  /** @type {Record<string, Record<string, unknown>>} */
  #answers;
  /** @type {Buffer[]} The bytes of the client, until the daemon is connected. */
  #held = [];
  /** @type {Map<unknown, { method: string, result: unknown }>} By the id of the request. */
  #told = new Map();
  /** @type {Set<unknown>} Requests that wait for the daemon. */
  #open = new Set();
  /** @type {Map<unknown, Record<string, unknown>>} Subscriptions to changes, by the id of the request. */
  #listens = new Map();
  /** @type {Set<unknown>} Subscriptions that were acknowledged early. */
  #acknowledged = new Set();
  #listsAreWhole;
  /** @type {string | undefined} */
  #version;
  #isChatClient = false;
  /** @type {Socket | undefined} */
  #socket;
  #fromClient = new Lines(MAX_LINE_BYTES, (line) => this.#hear(line));
  /** @param {Buffer} chunk */
  #read = (chunk) => {
    if (!this.#socket) this.#held.push(chunk);
    else if (!this.#socket.write(chunk)) {
      process.stdin.pause();
      this.#socket.once('drain', () => process.stdin.resume());
    }
    this.#fromClient.push(chunk);
  };

  /**
   * Incomplete lists, made before any server is known, are only for chat clients, which else would begin without any.
   * @param {Record<string, Record<string, unknown>>} answers
   * @param {{ listsAreWhole: boolean }} options
   */
  constructor(answers, { listsAreWhole }) {
    this.#answers = answers;
    this.#listsAreWhole = listsAreWhole;
    process.stdin.on('data', this.#read);
  }

  /**
   * Hands the client over to the daemon.
   * @param {Socket} socket
   */
  connect(socket) {
    this.#socket = socket;
    for (const chunk of this.#held.splice(0)) socket.write(chunk);
    const end = () => socket.end();
    if (process.stdin.readableEnded) end();
    else process.stdin.once('end', end);
    const fromDaemon = new Lines(Number.POSITIVE_INFINITY, (line) => this.#relay(line));
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      fromDaemon.push(chunk);
      if (this.#told.size > 0 || this.#acknowledged.size > 0) return;
      // The daemon has caught up with every early answer: from here on, bytes are copied.
      socket.off('data', read);
      process.stdin.off('data', this.#read).off('end', end);
      process.stdout.write(fromDaemon.rest());
      process.stdin.pipe(socket);
      socket.pipe(process.stdout, { end: false });
    };
    // Reading the handshake left the socket paused.
    socket.on('data', read).resume();
  }

  /**
   * Answers the requests that wait with the reason why there is no daemon.
   * @param {string} message
   */
  fail(message) {
    for (const id of this.#open) send({ id, error: { code: -32603, message } });
  }

  /** @param {Buffer} line */
  #hear(line) {
    const message = parse(line);
    if (message?.method === LISTEN) this.#subscribe(message);
    if (!message || message.id === undefined || message.method === undefined || this.#socket) return;
    if (message.method === 'initialize') this.#version = message.params?.protocolVersion;
    const { name } = message.params?.clientInfo ?? message.params?._meta?.[CLIENT_INFO] ?? {};
    this.#isChatClient ||= CHAT_CLIENTS.test(String(name));
    const result = this.#answerTo(message);
    if (!result) return void this.#open.add(message.id);
    this.#told.set(message.id, { method: message.method, result });
    send({ id: message.id, result });
  }

  /** @param {Message} message */
  #answerTo(message) {
    if (message.method === 'ping') return {};
    if (CHANGES.has(message.method) && !this.#listsAreWhole && !this.#isChatClient) return undefined;
    return this.#answers[answerKey(message, this.#version) ?? ''];
  }

  /** @param {Message} message */
  #subscribe({ id, params }) {
    const filter = params?.notifications;
    if (typeof filter !== 'object' || filter === null) return;
    this.#listens.set(id, filter);
    const isOfLists = Object.entries(filter).every(([key, value]) => LIST_FLAGS.has(key) && value === true);
    if (this.#socket || !isOfLists) return;
    this.#acknowledged.add(id);
    send({ method: ACKNOWLEDGED, params: { notifications: filter, _meta: { [SUBSCRIPTION]: id } } });
  }

  /** @param {Buffer} line */
  #relay(line) {
    const message = this.#told.size > 0 || this.#acknowledged.size > 0 ? parse(line) : undefined;
    const told = message && message.method === undefined ? this.#told.get(message.id) : undefined;
    if (message && told) {
      this.#told.delete(message.id);
      if (JSON.stringify(message.result) !== JSON.stringify(told.result)) this.#announce(told.method);
      return;
    }
    const isAcknowledgement = message?.method === ACKNOWLEDGED;
    if (isAcknowledgement && this.#acknowledged.delete(message?.params?._meta?.[SUBSCRIPTION])) return;
    process.stdout.write(Buffer.concat([line, NEWLINE]));
  }

  /**
   * Notifies the client that a list which it was given early has changed.
   * @param {string} list
   */
  #announce(list) {
    const [method, flag = ''] = CHANGES.get(list) ?? [];
    if (method === undefined) return;
    // Clients of the older protocol are told in any case, those of the newer one if they subscribed.
    if (this.#version !== undefined) return send({ method });
    for (const [id, filter] of this.#listens)
      if (filter[flag]) send({ method, params: { _meta: { [SUBSCRIPTION]: id } } });
  }
}

const NEWLINE = Buffer.from('\n');

/** @param {Message} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * @param {Buffer} line
 * @returns {Message | undefined}
 */
function parse(line) {
  try {
    const value = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Splits bytes into lines; passes on those that are not too long. */
class Lines {
  #maxBytes;
  #onLine;
  /** @type {Buffer[]} */
  #partial = [];
  #length = 0;

  /**
   * @param {number} maxBytes
   * @param {(line: Buffer) => void} onLine
   */
  constructor(maxBytes, onLine) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      const [isWhole, line] = [this.#length <= this.#maxBytes, this.rest()];
      start = end + 1;
      if (isWhole) this.#onLine(line);
    }
    this.#add(chunk.subarray(start));
  }

  /** Takes the line that has not ended yet. */
  rest() {
    const line = Buffer.concat(this.#partial);
    this.#partial = [];
    this.#length = 0;
    return line;
  }

  /** @param {Buffer} part */
  #add(part) {
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) this.#partial.push(part);
    else this.#partial = [];
  }
}
