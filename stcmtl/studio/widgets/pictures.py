"""Buttons that save a chart on the page as PNG or SVG, by the plotly that drew it in the browser.

The server has nothing to draw a picture with, and plotly's own camera knows one format at a time.
"""

import re

from streamlit.components import v2

HTML = """
<button type="button" data-format="png">Picture as PNG</button>
<button type="button" data-format="svg" aria-label="Picture as SVG">SVG</button>
<span role="status"></span>
"""
CSS = """
button {
  font: inherit; font-size: 0.875rem;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
  padding: 0.25rem 0.75rem; margin-right: 0.5rem; min-height: 2.5rem; cursor: pointer;
}
button:hover, button:focus-visible {
  color: var(--st-primary-color); border-color: var(--st-primary-color);
}
span { font-size: 0.875rem; }
"""
JS = """
export default function ({ data, parentElement }) {
  const told = parentElement.querySelector("span");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = () => {
      const plot = document.querySelector(`.${data.chart} .js-plotly-plot`);
      told.textContent = plot ? "" : "The figure is not there yet: try again in a moment.";
      if (!plot) return;
      const { offsetWidth: width, offsetHeight: height } = plot;
      const format = button.dataset.format;
      window.Plotly.downloadImage(plot, { format, width, height, scale: 2, filename: data.name });
    };
  }
}
"""
buttons = v2.component("stcmtl_picture", html=HTML, css=CSS, js=JS)


def offer_pictures(chart: str, name: str) -> None:
    """Buttons for the chart that is drawn under the key ``chart``; ``name`` is the file's."""
    buttons(data={"chart": name_class(chart), "name": name}, key=f"{name}.picture")


def name_class(key: str) -> str:
    """The class that Streamlit gives to what has a key."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
