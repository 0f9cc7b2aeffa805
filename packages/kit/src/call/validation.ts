/** Turns schema faults into sentences that name the field, the rule and what came. */
import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { isSecretName } from '../secret-names.ts';
import { valueAt } from './json-path.ts';
import { knownFieldsAt } from './known-fields.ts';

/** Tells whether what stands at a path must not be said back. */
export type IsSecretPath = (path: readonly PropertyKey[]) => boolean;

/** What makes the words fit the input. */
export interface FaultWords {
  readonly isSecret?: IsSecretPath;
  /** What the input was held against; with it, an unknown field is answered with the known ones. */
  readonly schema?: $ZodType | undefined;
}

/** All faults of one input in one line: `steps: must be at most 1000 (got 1001); name: is required`. */
export function describeIssues(
  issues: readonly $ZodIssue[],
  input?: unknown,
  words: FaultWords = {},
): string {
  return faultsOf(issues, input, words)
    .map(({ field, rule }) => `${field}: ${rule}`)
    .join('; ');
}

/** The same faults by field, in the same words: `{steps: ['must be at most 1000 (got 1001)']}`. */
export function issuesByField(
  issues: readonly $ZodIssue[],
  input?: unknown,
  words: FaultWords = {},
): Record<string, string[]> {
  const byField = new Map<string, string[]>();
  for (const { field, rule } of faultsOf(issues, input, words))
    byField.set(field, [...(byField.get(field) ?? []), rule]);
  return Object.fromEntries(byField);
}

interface FieldFault {
  readonly field: string;
  readonly rule: string;
}

function faultsOf(issues: readonly $ZodIssue[], input: unknown, words: FaultWords): FieldFault[] {
  return issues.flatMap((issue) => faultsOfIssue(issue, input, words));
}

/** True below a name like `password`. */
export function hasSecretName(path: readonly PropertyKey[]): boolean {
  return path.some((step) => typeof step === 'string' && isSecretName(step));
}

function faultsOfIssue(
  issue: $ZodIssue,
  input: unknown,
  { isSecret = hasSecretName, schema }: FaultWords,
): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownFieldsAt(schema, issue.path);
    const listed = known.length === 0 ? '' : ` (known: ${known.join(', ')})`;
    // Several unknown fields of one object are answered with its fields once.
    const last = issue.keys.length - 1;
    return issue.keys.map((key, index) => ({
      field: [...issue.path, key].join('.'),
      rule: `is not a known field${index === last ? listed : ''}`,
    }));
  }
  const field = issue.path.length === 0 ? 'input' : issue.path.join('.');
  const value = valueAt(input, issue.path);
  const isAbsent = value === undefined && issue.code === 'invalid_type';
  if (isAbsent && issue.path.length > 0) return [{ field, rule: 'is required' }];
  const got = value === undefined || isSecret(issue.path) ? '' : ` (got ${preview(value)})`;
  return [{ field, rule: `${ruleOf(issue)}${got}` }];
}

function ruleOf(issue: $ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected === 'int' ? 'integer' : issue.expected)}`;
    case 'too_small':
      return `must ${sizeVerb(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${sizeVerb(issue.origin)} ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      // A pattern has no name, so its own message says what it wants.
      return issue.format === 'regex' ? issue.message : `must be a valid ${issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

function sizeVerb(origin: string): string {
  return unitOf(origin) === '' ? 'be' : 'have';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' || origin === 'set' ? ' items' : '';
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

const PREVIEW_LENGTH = 60;

function preview(value: unknown): string {
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'a list'
        : 'an object'
      : JSON.stringify(value);
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}...` : text;
}
