/** The code that stands between the engine and the code of a run: console, tools, and how a value leaves. */

/**
 * A function expression of the guest. It keeps the functions it needs before any other code can change them, so that
 * what reaches the host is bounded; the host checks all of it once more.
 */
export const PRELUDE = `(call, log, longestLine, longestText) => {
  'use strict';
  const { stringify, parse } = JSON;
  const { apply } = Reflect;
  const { slice } = String.prototype;
  const { create, freeze } = Object;
  const textOf = String;
  const Fault = Error;
  const cut = (text, length) => apply(slice, text, [0, length]);
  delete globalThis.SharedArrayBuffer;

  const shown = (value) => {
    if (typeof value === 'string') return value;
    try {
      return stringify(value) ?? textOf(value);
    } catch {
      try { return textOf(value); } catch { return '[unprintable]'; }
    }
  };
  const writer = (type) => (...values) => {
    let line = '';
    for (let index = 0; index < values.length && line.length <= longestLine; index += 1) {
      line += (index === 0 ? '' : ' ') + cut(shown(values[index]), longestLine);
    }
    log(type, cut(line, longestLine));
  };
  const write = writer('log');
  const console = { log: write, info: write, debug: write, warn: writer('warn'), error: writer('error') };
  Object.defineProperty(globalThis, 'console', { value: freeze(console) });

  const invoke = async (name, args) => {
    const text = stringify(args === undefined ? {} : args);
    const { error, value } = parse(await call(name, text === undefined ? 'null' : text));
    if (error === undefined) return value;
    const fault = new Fault(error.message);
    fault.name = 'ToolError';
    fault.code = error.code;
    throw fault;
  };
  // 'then' is asked for by whoever awaits the tools themselves.
  const isTool = (name) => typeof name === 'string' && name !== 'then';
  const tools = new Proxy(freeze(create(null)), {
    get: (_target, name) => (isTool(name) ? (args) => invoke(name, args) : undefined),
  });

  const word = (value, length) => (typeof value === 'string' ? cut(value, length) : '');
  const described = (thrown) => {
    try {
      if (typeof thrown !== 'object' || thrown === null) return { message: cut(shown(thrown), longestText) };
      return {
        name: word(thrown.name, 100),
        message: word(thrown.message, longestText) || cut(shown(thrown), longestText),
        code: word(thrown.code, 100),
        stack: word(thrown.stack, longestText),
      };
    } catch {
      return { message: 'The code threw something that cannot be read.' };
    }
  };
  return async (run, args) => {
    let value;
    try {
      value = await (args === undefined ? run(tools) : run(tools, parse(args)));
    } catch (thrown) {
      return 'e' + stringify(described(thrown));
    }
    try {
      const text = stringify(value);
      return text === undefined ? 'u' : 'v' + text;
    } catch (thrown) {
      return 'j' + stringify(described(thrown));
    }
  };
}`;
