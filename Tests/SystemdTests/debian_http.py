"""What the gateway answers, asked from within: METHOD PATH COOKIE BODY; prints status, cookie and text as JSON."""

import gzip
import http.client
import json
import sys

method, path, cookie, body = sys.argv[1:5]
link = http.client.HTTPConnection("127.0.0.1", 7580, timeout=20)
try:
    link.request(method, path, body or None, {
        "Cookie": cookie, "Origin": "http://127.0.0.1:7580", "Content-Type": "application/json"})
    answer = link.getresponse()
    data = answer.read()
    if answer.getheader("Content-Encoding") == "gzip":
        data = gzip.decompress(data)
    text = data.decode(errors="replace")
    found = {"status": answer.status, "text": text,
             "cookie": (answer.getheader("Set-Cookie") or "").split(";")[0]}
except OSError as why:
    found = {"status": 0, "text": str(why), "cookie": ""}
print(json.dumps(found))
