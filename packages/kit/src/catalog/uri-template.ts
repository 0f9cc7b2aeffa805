/** URI templates with simple `{variables}`, matched in one pass without backtracking. */

/** A compiled template. */
export interface UriTemplate {
  readonly pattern: string;
  readonly variables: readonly string[];
  /** The variables of a URI that fits, decoded; undefined when it does not fit. */
  match(uri: string): Record<string, string> | undefined;
  /** The URI with these variables. */
  expand(variables: Readonly<Record<string, string>>): string;
}

const MAX_URI_LENGTH = 8192;
// One or two dots, each of them written out or as its code.
const DOTS = /^(?:\.|%2e){1,2}$/i;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
// A segment that leads above what the template begins with.
const CLIMBS = /(?:^|[/\\])(?:\.|%2e){2}(?:[/\\?#]|$)/i;
/** What a template that cannot be taken apart leaves open. */
const REST = '*';
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Compiles a template; two variables must have text between them, or a URI could be split in many ways. */
export function compileTemplate(pattern: string): UriTemplate {
  const literals: string[] = [];
  const variables: string[] = [];
  for (const [index, part] of pattern.split('{').entries()) {
    if (index === 0) {
      literals.push(part);
      continue;
    }
    const [variable = '', literal = ''] = part.split('}');
    if (!VARIABLE.test(variable) || variables.includes(variable)) {
      throw new Error(`URI template ${pattern}: "${variable}" is not a usable variable name.`);
    }
    if (index > 1 && literals.at(-1) === '')
      throw new Error(`URI template ${pattern}: variables must be separated.`);
    variables.push(variable);
    literals.push(literal);
  }
  return {
    pattern,
    variables,
    match: (uri) => matchParts(uri, literals, variables),
    expand: (values) => literals.map((literal, index) => before(index, variables, values) + literal).join(''),
  };
}

/**
 * Compiles a template of another server, which may have more than plain variables: what cannot be taken apart is known
 * by the text that it begins with.
 */
export function compileAnyTemplate(pattern: string): UriTemplate {
  try {
    return compileTemplate(pattern);
  } catch (error) {
    const head = pattern.split('{')[0] ?? '';
    // Without a scheme of its own it would take URIs that belong to others.
    if (!SCHEME.test(head)) throw error;
    return {
      pattern,
      variables: [],
      match(uri) {
        if (uri.length > MAX_URI_LENGTH || !uri.startsWith(head) || uri.length === head.length)
          return undefined;
        const rest = uri.slice(head.length);
        return CLIMBS.test(rest) || rest.includes('\0') ? undefined : { [REST]: rest };
      },
      expand: (values) => head + (values[REST] ?? ''),
    };
  }
}

function matchParts(
  uri: string,
  literals: readonly string[],
  variables: readonly string[],
): Record<string, string> | undefined {
  const [head = '', ...rest] = literals;
  if (uri.length > MAX_URI_LENGTH || !uri.startsWith(head)) return undefined;
  const found: Record<string, string> = {};
  let position = head.length;
  for (const [index, literal] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = literal === '' ? uri.length : endOf(uri, literal, position, isLast);
    if (end <= position) return undefined;
    const value = decoded(uri.slice(position, end));
    if (value === undefined) return undefined;
    found[variables[index] ?? ''] = value;
    position = end + literal.length;
  }
  return position === uri.length && staysBelow(head, uri) ? found : undefined;
}

/** Whether a URI stays where its first words say, however its reader takes it apart. */
function staysBelow(head: string, uri: string): boolean {
  const rest = uri.slice(head.lastIndexOf('/') + 1);
  return !rest.split(/[/\\]/).some((segment) => DOTS.test(segment));
}

/** The variable that stands before a literal. */
function before(index: number, variables: readonly string[], values: Readonly<Record<string, string>>) {
  const variable = variables[index - 1];
  return variable === undefined ? '' : encodeURIComponent(values[variable] ?? '');
}

function endOf(uri: string, literal: string, from: number, isLast: boolean): number {
  if (!isLast) return uri.indexOf(literal, from);
  return uri.endsWith(literal) ? uri.length - literal.length : -1;
}

function decoded(raw: string): string | undefined {
  if (raw.includes('/')) return undefined;
  try {
    const value = decodeURIComponent(raw);
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}
