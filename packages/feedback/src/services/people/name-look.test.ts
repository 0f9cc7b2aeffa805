/** Looks of names: what a reader could take for the same is the same, and different names stay different. */
import { describe, expect, test } from 'vitest';
import { lookOf, visiblePart } from './name-look.ts';

const ALIKE: Readonly<Record<string, readonly string[]>> = {
  'Ada Admin': [
    'ada  admin',
    'ADA-ADMIN',
    'ＡＤＡ ＡＤＭＩＮ',
    'Adа Аdmin',
    'Ada Adm\u0131n',
    'Ada Admın',
    'Ada Adm1n',
    'Ada Admln',
    'Ada Adm|n',
    'Ada Adm!n',
    'Ada AdmІn',
    'Ada Adrnin',
    'Ada Aclmin',
    '@da 4dmin',
    'Äda Ädmín',
    'Ada\u3164Admin',
    'Ada\uffa0Admin',
    'A\u115fd\u1160a Admin',
    'A\u00add\u200ba\u2060 Ad\u034fmin\ufe0f',
    'Ada\u2800Admin',
    'Ada Admin\u{e0041}',
    'Ada Adm\u{13441}in',
    '𝐀𝐝𝐚 𝒜𝒹𝓂𝒾𝓃',
    'Ⓐⓓⓐ Ⓐⓓⓜⓘⓝ',
    '🅐🅓🅐 🅰🅳🅼🅸🅽',
    '🇦🇩🇦 🇦🇩🇲🇮🇳',
    'ᎪᎠᎪ ᎪᎠᎷᏆꓠ',
    'ꓮꓓꓮ ꓮꓓꓟꓲꓠ',
    'ΑDΑ ΑDΜΙΝ',
  ],
  Owner: ['0wner', 'Оwner', 'ᴏᴡɴᴇʀ', 'Owпer', 'Ovvner', 'ØWNER', 'owner\u17b4'],
  'Lil Hill': ['lil hi11', 'LIL HILL', '1i1 Hiii', 'ıl| Hi|!', 'Іiӏ Hiłl'],
  Moss: ['M055', 'Rnoss', 'Мо$ѕ', 'Moß'],
  'Élise Ørn': ['Elise 0m', 'ELISE ORN'],
};

describe.each(Object.entries(ALIKE))('%s', (name, others) => {
  test.each(others)('could be taken for %s', (other) => expect(lookOf(other)).toBe(lookOf(name)));
});

test.each([
  ['Ada', 'Adam'],
  ['Owner', 'Owen'],
  ['Vera', 'Zera'],
  ['管理者', '管理人'],
  ['Анна', 'Ann'],
  ['Müller', 'Möller'],
])('%s and %s are two names', (one, other) => expect(lookOf(one)).not.toBe(lookOf(other)));

test('nothing that nobody sees is a name', () => {
  for (const blank of ['\u3164', '\uffa0\u115f', '\u2800', '\u{13442}', '\u034f\u180e'])
    expect([visiblePart(blank), lookOf(blank)]).toEqual(['', '']);
});
