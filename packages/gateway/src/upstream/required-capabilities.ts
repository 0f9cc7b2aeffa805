/** What an upstream says that a client has to declare: the names of it, and nothing else that stands there. */
import { isObject } from '../messages.ts';

/** Names of capabilities, and those of extensions below them. */
export interface RequiredCapabilities {
  readonly [name: string]: object;
  readonly extensions?: Readonly<Record<string, object>>;
}

const MOST_NAMES = 20;
const NAME = /^[\w./-]{1,100}$/;

/** What stands in the data of an error -32021. */
export function requiredCapabilitiesIn(data: unknown): RequiredCapabilities {
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  const { extensions, ...plain } = required;
  return {
    ...namesIn(plain),
    ...(isObject(extensions) && { extensions: namesIn(extensions) }),
  };
}

function namesIn(given: Readonly<Record<string, unknown>>): Record<string, object> {
  const names = Object.keys(given).filter((name) => NAME.test(name));
  return Object.fromEntries(names.slice(0, MOST_NAMES).map((name) => [name, {}]));
}
