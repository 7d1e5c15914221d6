// Start.

// What is in the middle of the map stays there.
function resize() {
  const isFirst = !view.width, middle = toMap(view.width / 2, view.height / 2);
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  canvas.width = Math.max(1, Math.round(view.width * mapRatio()));
  canvas.height = Math.max(1, Math.round(view.height * mapRatio()));
  image = context.createImageData(canvas.width, canvas.height);
  obstacles = null;
  setView(...(isFirst ? home() : centered(view.zoom, ...toBase(...middle))));
  drawMatrix();
  drawTree();
}

showHeader();
fillGrid();
colorDocuments();
showColorControl();
showCutControl();
setCut(numTopics);
showTopics();
showMixedControl();
listenToTime();
showSimilarity();
showLabels();
showMade();
listenToMap();
setTheme(theme);
systemDark.addEventListener("change", () => { if (!choice) setTheme(systemTheme()); });
byId("theme").addEventListener("click", changeTheme);
byId("search").addEventListener("focus", readHaystack); // before the first letter
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") byId("results").querySelector("button")?.click();
});
byId("save-png").addEventListener("click", savePng);
byId("save-svg").addEventListener("click", saveSvg);
byId("pairs-picture").addEventListener("toggle", drawMatrix);
byId("words").addEventListener("toggle", () => { if (!byId("frame").firstChild) showPanel(); });
new ResizeObserver(resize).observe(canvas);
addEventListener("hashchange", followAddress);
followAddress();
