/** Owns how a command line that somebody pastes becomes a command and its arguments: quotes count, nothing else does. */

/** The words; a quote without an end goes to the end. */
export function commandWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let isWord = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (quote !== '') {
      if (sign === quote) quote = '';
      else if (sign === '\\' && quote === '"' && /["\\]/.test(line.charAt(at + 1)))
        word += line.charAt((at += 1));
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      isWord = true;
    } else if (/\s/.test(sign)) {
      if (isWord) words.push(word);
      word = '';
      isWord = false;
    } else {
      word += sign === '\\' && at + 1 < line.length ? line.charAt((at += 1)) : sign;
      isWord = true;
    }
  }
  if (isWord) words.push(word);
  return words;
}

const PLAIN = /^[\w@%+=:,./~-]+$/;

/** The other way round, for a stored program. */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args]
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(' ');
}
