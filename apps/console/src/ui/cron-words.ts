/** Owns cron in words, for the plans that people make; what is stranger than that stays as it is written. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const LISTS = new Intl.ListFormat('en');

/** `0 9 * * 1-5` is "at 09:00, Monday to Friday". */
export function cronWords(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = cron.trim().split(/\s+/);
  if (rest.length > 0) return cron;
  const time = timeWords(minute, hour);
  const days = dayWords(day, weekday);
  const months = month === '*' ? '' : namesOf(month, MONTHS, 1);
  if (time === undefined || days === undefined || months === undefined) return cron;
  const everyDay = days === '' && time.startsWith('at ') ? `every day ${time}` : time;
  return [everyDay, days, months && `in ${months}`].filter((part) => part !== '').join(', ');
}

function timeWords(minute: string, hour: string): string | undefined {
  const step = stepOf(minute);
  if (hour === '*' && step !== undefined) return step === 1 ? 'every minute' : `every ${step} minutes`;
  const past = numbersOf(minute, 59);
  if (past?.length !== 1) return undefined;
  const [at = 0] = past;
  const hourStep = stepOf(hour);
  if (hourStep !== undefined) {
    const every = hourStep === 1 ? 'every hour' : `every ${hourStep} hours`;
    return at === 0 ? every : `${every}, ${at} past`;
  }
  const hours = numbersOf(hour, 23);
  return hours && `at ${LISTS.format(hours.map((one) => `${two(one)}:${two(at)}`))}`;
}

function dayWords(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return '';
  // Both at once mean either, which few who wrote it expect.
  if (day !== '*' && weekday !== '*') return undefined;
  if (day === '*') return namesOf(weekday, DAYS, 0);
  const days = numbersOf(day, 31);
  return days && `on day ${LISTS.format(days.map(String))} of the month`;
}

/** `*` is 1, `*\/5` is 5. */
function stepOf(field: string): number | undefined {
  if (field === '*') return 1;
  const [, digits] = /^\*\/(\d{1,2})$/.exec(field) ?? [];
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits);
}

function numbersOf(field: string, most: number): number[] | undefined {
  const parts = field.split(',');
  const isFine = parts.every((part) => /^\d{1,2}$/.test(part) && Number(part) <= most);
  return isFine ? parts.map(Number) : undefined;
}

/** Names of numbers, of three letters, or of a stretch of either. */
function namesOf(field: string, names: readonly string[], first: number): string | undefined {
  const nameOf = (text: string) =>
    /^\d{1,2}$/.test(text)
      ? names[Number(text) - first]
      : names.find((name) => text.length === 3 && name.toLowerCase().startsWith(text.toLowerCase()));
  const words = field.split(',').map((part) => {
    const ends = part.split('-').map(nameOf);
    return ends.length > 2 || ends.includes(undefined) ? undefined : ends.join(' to ');
  });
  return words.includes(undefined) ? undefined : LISTS.format(words.filter((word) => word !== undefined));
}

const two = (number: number) => String(number).padStart(2, '0');
