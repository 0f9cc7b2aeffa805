/** The arguments of a program as a list shows them: enough to tell programs apart, and nothing that may be secret. */
import { isSecretSetting } from '@parley/kit';

const HIDDEN = '***';
/** Flags of one letter that say something and take no value. */
const WITHOUT_VALUE = new Set(['-y', '-m', '-i', '-u', '-q']);
const PLAIN = /^[\w@./:,+~-]{1,80}$/;
/** So long with a digit in it may be a key; what parts paths and names of packages ends it. */
const KEY_LENGTH = 16;

/** The same number of words, each as it is or masked. */
export function shownArguments(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    if (mayBeValueOf(args[at - 1] ?? '')) return HIDDEN;
    const equals = arg.indexOf('=');
    if (equals > 0 && arg.startsWith('-')) return `${shown(arg.slice(0, equals))}=${HIDDEN}`;
    return shown(arg);
  });
}

/** What stands behind a flag that sounds like a secret, or that says nothing with its one letter. */
function mayBeValueOf(flag: string): boolean {
  if (!flag.startsWith('-') || flag.includes('=')) return false;
  if (!flag.startsWith('--')) return !WITHOUT_VALUE.has(flag);
  return isSecretSetting(flag.slice(2)) || /^--(?:header|env)s?$/.test(flag);
}

function shown(word: string): string {
  const isAddressWithMore = word.includes('://') && /[@?]/.test(word);
  return PLAIN.test(word) && !isLikeKey(word) && !isAddressWithMore ? word : HIDDEN;
}

function isLikeKey(word: string): boolean {
  return word.split(/[^\w+=-]/).some((part) => part.length >= KEY_LENGTH && /\d/.test(part));
}
