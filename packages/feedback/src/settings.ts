/** The options that feedback reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

const MAX_RATE = 10_000_000;

export const feedbackSettings = {
  ratePerMinute: {
    flag: 'api-rate',
    kind: 'number',
    low: 1,
    high: MAX_RATE,
    value: 'N',
    fallback: '100',
    help: 'Feedback API requests per minute of one client address',
    section: 'traffic',
  },
  ratePerKeyPerMinute: {
    flag: 'api-key-rate',
    kind: 'number',
    low: 1,
    high: MAX_RATE,
    value: 'N',
    help: 'The same per API key; default: no limit',
    section: 'traffic',
  },
  readsPerMinute: {
    flag: 'page-rate',
    kind: 'number',
    low: 1,
    high: MAX_RATE,
    value: 'N',
    fallback: '600',
    help: 'Requests per minute of one client address for public pages and their API',
    section: 'traffic',
  },
  visitorsPerHour: {
    flag: 'visitor-rate',
    kind: 'number',
    low: 1,
    high: MAX_RATE,
    value: 'N',
    fallback: '100',
    help: 'New visitors of the public pages per hour from one address',
    section: 'traffic',
  },
  organizationHosts: {
    flag: 'organization-host',
    kind: 'list',
    value: 'PAIR',
    help: 'SLUG=HOST: a host name that shows the public pages of that organization (repeat, or commas)',
    section: 'reach',
  },
  demo: {
    flag: 'demo',
    kind: 'switch',
    value: '',
    help: 'With "start": fill every screen that is empty with example data, and publish the pages of feedback',
    section: 'upkeep',
  },
} as const satisfies Settings;
