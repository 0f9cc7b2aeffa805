/** The look that an administrator gives the public pages: name, colour, logo and icon, safe in both themes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import { onBothEngines } from '../testing/engines.ts';
import { openFeedback, refusalOf } from '../testing/fixture.ts';
import { brandStyle } from './brand.ts';

const GIF = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>').toString('base64');

onBothEngines('the look of the public pages', (open) => {
  test('is what the settings say, and gone when they are taken back', async () => {
    const { services, admin, member } = await openFeedback(await open());
    await services.settings.update(admin, { isPublished: true });
    await using site = await servePages(services);
    const { get } = openBrowser(site);
    expect((await get('/feedback')).text).toContain('<link rel="icon" href="data:," />');
    for (const path of ['brand.css', 'logo', 'favicon'])
      expect([path, (await get(`/feedback/${path}`)).status]).toEqual([path, 404]);

    await services.settings.update(admin, { siteName: '<b>Acme & Co', accentColor: '#FFD400' });
    await services.settings.setImage(admin, 'logo', GIF);
    const { logo, favicon } = await services.settings.setImage(admin, 'favicon', GIF);
    const { text } = await get('/feedback');
    expect(text).toContain('&lt;b&gt;Acme &amp; Co');
    expect(text).toContain('/feedback/brand.css?v=ffd400');
    expect(text).toContain(`<img class="logo" src="${logo}" alt="" />`);
    expect(text).toContain(`<link rel="icon" href="${favicon}" />`);
    const image = await get(logo ?? '');
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(image.headers.get('cache-control')).toContain('immutable');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get('/feedback/logo?v=old')).headers.get('cache-control')).toBe('public, no-cache');
    expect((await get('/feedback/brand.css?v=ffd400')).text).toContain('--accent:');
    expect(await services.settings.image(member, 'logo')).toEqual({ type: 'image/gif', data: GIF });

    await services.settings.removeImage(admin, 'logo');
    await services.settings.update(admin, { siteName: null, accentColor: null });
    const plain = (await get('/feedback')).text;
    expect(plain).not.toContain('class="logo"');
    expect(plain).not.toContain('brand.css');
    await services.settings.update(admin, { isPublished: false });
    expect((await get(favicon ?? '')).status).toBe(404);
  });

  test('takes pictures by their bytes, small ones only, and none with code in them', async () => {
    const { services, admin } = await openFeedback(await open());
    const put = (data: string, kind = 'logo') => refusalOf(services.settings.setImage(admin, kind, data));
    expect((await put(SVG)).message).toContain('Save an SVG drawing as PNG first');
    expect((await put(Buffer.from('GIF').toString('base64'))).code).toBe('invalid');
    const large = Buffer.concat([Buffer.from(GIF, 'base64'), Buffer.alloc(256 * 1024)]).toString('base64');
    expect((await put(large)).message).toContain('at most 256 KiB');
    expect(await put(GIF, 'banner')).toEqual({ code: 'not_found', message: 'Picture not found' });
  });
});

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe('a chosen colour', () => {
  test('can be read on both pages, behind text, and on its own tint, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const style = brandStyle(`#${value.toString(16).padStart(6, '0')}`);
        const colors = (name: string) =>
          [...style.matchAll(new RegExp(`--${name}:(#\\w{6})`, 'g'))].map(([, c]) => c ?? '');
        const [accents, texts, tints] = [colors('accent'), colors('accent-text'), colors('tint')];
        for (const [index, page] of ['#ffffff', '#1b1c23'].entries()) {
          const [accent = '', text = '', tint = ''] = [accents[index], texts[index], tints[index]];
          expect(contrast(accent, page)).toBeGreaterThanOrEqual(4.4);
          expect(contrast(accent, text)).toBeGreaterThanOrEqual(4.4);
          expect(contrast(accent, tint)).toBeGreaterThanOrEqual(4.3);
        }
      }),
    );
  });
});
