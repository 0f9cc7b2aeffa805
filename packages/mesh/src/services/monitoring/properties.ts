/** Filters on the labels of call records. */

/** Which labels a record must have. */
export interface PropertyFilter {
  /** Equal to. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  /** There, whatever its value. */
  readonly propertyKeys?: readonly string[] | undefined;
  /** Like a pattern with `%` and `_`. */
  readonly propertyPatterns?: Readonly<Record<string, string>> | undefined;
  /** A list, separated by commas, that has this among its members. */
  readonly propertyInValues?: Readonly<Record<string, string>> | undefined;
}

/** A test on the labels, which stand in a record as JSON; undefined when every record passes. */
export function propertyTest(filter: PropertyFilter): ((json: string | null) => boolean) | undefined {
  const { properties = {}, propertyKeys = [], propertyPatterns = {}, propertyInValues = {} } = filter;
  const tests = [
    ...Object.entries(properties).map(([key, wanted]) => labelTest(key, (label) => label === wanted)),
    ...propertyKeys.map((key) => labelTest(key, () => true)),
    ...Object.entries(propertyPatterns).map(([key, like]) => labelTest(key, (label) => isLike(label, like))),
    ...Object.entries(propertyInValues).map(([key, member]) =>
      labelTest(key, (label) => label.split(',').some((part) => part.trim() === member)),
    ),
  ];
  if (tests.length === 0) return undefined;
  return (json) => {
    if (json === null) return false;
    // What was stored is an object of texts.
    const labels = new Map(Object.entries(JSON.parse(json) as Record<string, string>));
    return tests.every((test) => test(labels));
  };
}

function labelTest(key: string, test: (label: string) => boolean) {
  return (labels: ReadonlyMap<string, string>): boolean => {
    const label = labels.get(key);
    return label !== undefined && test(label);
  };
}

/** True when the text fits a pattern of `%` and `_` from end to end, without case; takes no longer than both lengths. */
export function isLike(text: string, pattern: string): boolean {
  const [letters, wanted] = [Array.from(text.toLowerCase()), Array.from(pattern.toLowerCase())];
  let [at, want] = [0, 0];
  let restart: { at: number; want: number } | undefined;
  while (at < letters.length) {
    if (wanted[want] === '%') {
      restart = { at, want };
      want += 1;
    } else if (want < wanted.length && (wanted[want] === '_' || wanted[want] === letters[at])) {
      at += 1;
      want += 1;
    } else if (restart !== undefined) {
      // The last `%` takes one letter more.
      restart = { at: restart.at + 1, want: restart.want };
      ({ at } = restart);
      want = restart.want + 1;
    } else return false;
  }
  while (wanted[want] === '%') want += 1;
  return want === wanted.length;
}
