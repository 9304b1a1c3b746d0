#!/usr/bin/env python3
"""Makes the PNG icons beside it from icon.svg: web/icons/make.py. Needs Playwright and chromium."""

import pathlib

from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).parent

if __name__ == "__main__":
    svg = (HERE / "icon.svg").read_text()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"])
        for size, name, pad in [(192, "icon-192", 0), (512, "icon-512", 0), (512, "maskable-512", 1)]:
            page = browser.new_page(viewport={"width": size, "height": size})
            drawn = svg.replace('rx="112"', 'rx="0"') if pad else svg
            page.set_content(f"<style>*{{margin:0}}svg{{display:block}}</style>{drawn}")
            page.screenshot(path=HERE / f"{name}.png", omit_background=True)
        browser.close()
